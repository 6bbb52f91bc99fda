import type { Metrics } from '@rxlet/component-base/metrics';
import type { ServerState } from '../request/server-state.ts';

/** Metrics of watches, by resource. */
export interface WatchMetrics {
  /** Counts an event of an object. Bookmarks are none. */
  received(resource: string): void;
}

/** Registers the metrics of watches. Clients that share a state count their open watches together. */
export function createWatchMetrics(metrics: Metrics, { openWatches }: Pick<ServerState, 'openWatches'>): WatchMetrics {
  metrics.gauge({
    name: 'rxlet_watches',
    help: 'Number of open watches of the API server, by resource.',
    labelNames: ['resource'],
    collect: async () => Array.from(openWatches, ([resource, value]) => ({ labels: { resource }, value })),
  });
  const events = metrics.counter({
    name: 'rxlet_watch_events_total',
    help: 'Number of events of objects that watches received, by resource.',
    labelNames: ['resource'],
  });
  return { received: (resource) => events.inc({ resource }) };
}
