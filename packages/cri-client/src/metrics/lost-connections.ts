import type { Logger } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { follow } from '@rxlet/component-base/streams';
import { filter, type Observable, pairwise, type Subscription } from 'rxjs';
import type { ConnectionState } from '../connection-state.ts';

/**
 * Counts lost connections, as `cri_client_lost_connections_total` by `endpoint`. Failed attempts and connections that the client closes do not count. Ends with
 * `state$`.
 */
export function countLostConnections(
  state$: Observable<ConnectionState>,
  endpoint: string,
  metrics: Metrics,
  logger: Logger,
): Subscription {
  const lost = metrics.counter({
    name: 'cri_client_lost_connections_total',
    help: 'Connections to the container runtime that were lost.',
    labelNames: ['endpoint'],
  });
  const losses$ = state$.pipe(
    pairwise(),
    filter(([before, after]) => before.kind === 'ready' && after.kind !== 'ready'),
  );
  return follow(losses$, { task: 'counting lost connections', logger, next: () => lost.inc({ endpoint }) });
}
