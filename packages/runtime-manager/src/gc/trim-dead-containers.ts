import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { removeContainerWithLogs, type RemoveWithLogsPorts } from '../kill/remove-container.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncResult } from '../sync/sync-result.ts';

/** Removes the dead instances of one container with their logs, except the `keep` newest ones. */
export async function trimDeadContainers(
  ports: RemoveWithLogsPorts,
  status: RuntimePodStatus,
  containerName: string,
  keep: number,
  record: (result: SyncResult) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const dead = status.containers.filter(({ name, state }) => name === containerName && state === 'exited');
  for (const { id, name, restartCount } of dead.slice(keep)) {
    try {
      await removeContainerWithLogs(ports, status, { id: id.id, name, restartCount }, signal);
      record({ action: 'RemoveContainer', target: name });
    } catch (error) {
      record(failedResult('RemoveContainer', name, error, 'RemoveContainerError'));
    }
  }
}
