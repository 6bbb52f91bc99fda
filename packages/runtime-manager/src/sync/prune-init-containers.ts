import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { removeContainerWithLogs, type RemoveWithLogsPorts } from '../kill/remove-container.ts';

/**
 * Removes instances of init containers with their logs, because each restart of a pod adds one. The newest exited instance of each container is kept for the
 * pod's status, unless initialization starts over in a new sandbox.
 */
export async function pruneInitContainers(
  ports: RemoveWithLogsPorts,
  pod: Pod,
  status: RuntimePodStatus,
  which: 'all' | 'superseded',
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name } of pod.spec!.initContainers ?? []) {
    const instances = status.containers.filter((container) => container.name === name);
    for (const { id, restartCount } of which === 'all' ? instances : superseded(instances)) {
      try {
        await removeContainerWithLogs(ports, status, { id: id.id, name, restartCount }, signal);
      } catch (error) {
        // Garbage collection retries.
        ports.logger.warn('cannot remove an init container', {
          container: name,
          id: id.id,
          error: errorMessage(error),
        });
      }
    }
  }
}

/** Returns all exited or unknown instances except the newest one. */
function superseded(instances: readonly RuntimeContainerStatus[]): RuntimeContainerStatus[] {
  return instances.filter(({ state }) => state === 'exited' || state === 'unknown').slice(1);
}
