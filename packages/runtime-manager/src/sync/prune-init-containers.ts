import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { removeContainerWithLogs } from '../kill/remove-container.ts';

/**
 * Removes instances of init containers with their logs. Each restart of a pod runs them again, so they would pile up; of each one the newest that ended is
 * kept for the pod's status. In a new sandbox everything starts over, and all of them go.
 */
export async function pruneInitContainers(
  context: Context,
  pod: Pod,
  status: RuntimePodStatus,
  which: 'all' | 'superseded',
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name } of pod.spec!.initContainers ?? []) {
    const instances = status.containers.filter((container) => container.name === name);
    for (const { id, restartCount } of which === 'all' ? instances : superseded(instances)) {
      try {
        await removeContainerWithLogs(context, status, { id: id.id, name, restartCount }, signal);
      } catch (error) {
        // Garbage collection gets it later.
        context.logger.warn('cannot remove an old init container', {
          container: name,
          id: id.id,
          error: errorMessage(error),
        });
      }
    }
  }
}

/** All but the newest of those that ended, or may have. */
function superseded(instances: readonly RuntimeContainerStatus[]): RuntimeContainerStatus[] {
  return instances.filter(({ state }) => state === 'exited' || state === 'unknown').slice(1);
}
