import type { Metrics } from '@rxlet/component-base';
import { filter, type Observable, pairwise, type Subscription } from 'rxjs';
import type { ConnectionState } from '../connection-state.ts';

/**
 * Counts the connections that were lost, as `cri_client_lost_connections_total` by `endpoint`. A connection that cannot be made is not one of them, nor
 * is one that its client closes. It ends with `state$`.
 */
export function countLostConnections(
  state$: Observable<ConnectionState>,
  endpoint: string,
  metrics: Metrics,
): Subscription {
  const lost = metrics.counter({
    name: 'cri_client_lost_connections_total',
    help: 'Connections to the container runtime that were lost.',
    labelNames: ['endpoint'],
  });
  return state$
    .pipe(
      pairwise(),
      filter(([before, after]) => before.kind === 'ready' && after.kind !== 'ready'),
    )
    .subscribe(() => lost.inc({ endpoint }));
}
