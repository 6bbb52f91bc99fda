import type { Metrics } from '@rxlet/component-base/metrics';
import type { ShutdownState } from './shutdown-state.ts';

/** The kubelet's metrics of shutdowns. */
export interface ShutdownMetrics {
  set(state: ShutdownState): void;
}

/** Registers the metrics. */
export function createShutdownMetrics(metrics: Metrics): ShutdownMetrics {
  const [start, end] = (['start', 'end'] as const).map((which) =>
    metrics.gauge({
      name: `kubelet_graceful_shutdown_${which}_time_seconds`,
      help: `[ALPHA] Last graceful shutdown ${which} time since unix epoch in seconds`,
    }),
  );
  return {
    set({ startMs, endMs }) {
      start!.set(Math.floor(startMs / 1000));
      end!.set(endMs === undefined ? 0 : Math.floor(endMs / 1000));
    },
  };
}
