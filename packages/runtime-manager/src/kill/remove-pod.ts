import { isNotFound } from '@rxlet/cri-api';
import { inSpan } from '@rxlet/agent-api/journal';
import { formatPod, type PodIdentity } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { Context } from '../context.ts';
import { legacyLogLinkName, podDirectory, podLogDirectory } from '../files/pod-paths.ts';
import { removePodDirectory } from '../files/remove-pod-directory.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncResult } from '../sync/sync-result.ts';
import { confirmOutcome } from '../sync/unknown-outcome.ts';
import { stopSandbox } from './kill-pod.ts';
import { confirmSandboxRemoved } from './confirm-stopped.ts';
import { removeContainerWithLogs, type RemoveWithLogsPorts } from './remove-container.ts';

/** Removes the containers, sandboxes, logs and files of a pod. Missing ones are not errors; a failure does not keep the others from being removed. */
export async function removePodContents(
  ports: RemoveWithLogsPorts,
  status: RuntimePodStatus,
  record: (result: SyncResult) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await Promise.all(
    status.containers.map(async ({ id, name, restartCount }) => {
      try {
        await removeContainerWithLogs(ports, status, { id: id.id, name, restartCount }, signal);
        record({ action: 'RemoveContainer', target: name });
      } catch (error) {
        record(failedResult('RemoveContainer', name, error, 'RemoveContainerError'));
      }
    }),
  );
  await Promise.all(
    status.sandboxes.map(async ({ id }) => {
      try {
        await inSpan(ports.journal, status, { kind: 'sandbox.remove' }, () => removeSandbox(ports, id, signal), signal);
        record({ action: 'RemovePodSandbox', target: id });
      } catch (error) {
        record(failedResult('RemovePodSandbox', id, error, 'RemovePodSandboxError'));
      }
    }),
  );
  const target = formatPod({ metadata: { name: status.name, namespace: status.namespace, uid: status.uid } });
  try {
    await removePodFiles(ports, status);
    record({ action: 'RemovePodFiles', target });
  } catch (error) {
    record(failedResult('RemovePodFiles', target, error, 'RemovePodFilesError'));
  }
}

/** Stops and removes a sandbox. */
export async function removeSandbox(
  ports: Pick<Context, 'runtime'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { runtime } = ports;
  await stopSandbox(ports, podSandboxId, signal);
  try {
    await confirmOutcome<unknown>(
      () => runtime.removePodSandbox({ podSandboxId }, { signal }),
      () => confirmSandboxRemoved(runtime, podSandboxId, signal),
    );
  } catch (error) {
    // NotFound may refer to a part of the sandbox, while the sandbox itself still exists.
    if (!isNotFound(error) || !(await confirmSandboxRemoved(runtime, podSandboxId, signal))) throw error;
  }
}

/** Removes a pod's logs and its directory. @throws Error when other files remain in the directory */
async function removePodFiles(
  { files, settings, containerLogsDirectory }: Pick<Context, 'files' | 'settings' | 'containerLogsDirectory'>,
  pod: PodIdentity,
): Promise<void> {
  await files.removeTree(podLogDirectory(settings, pod));
  if (containerLogsDirectory !== undefined) {
    const prefix = legacyLogLinkName(pod, '', '').replace(/-\.log$/, '');
    for (const link of await files.list(containerLogsDirectory)) {
      if (link.startsWith(prefix) && !(await files.exists(`${containerLogsDirectory}/${link}`))) {
        await files.removeFile(`${containerLogsDirectory}/${link}`);
      }
    }
  }
  const directory = podDirectory(settings, pod.uid);
  if (!(await removePodDirectory(files, directory)))
    throw new Error(`cannot remove the pod directory ${directory}: it is not empty`);
}
