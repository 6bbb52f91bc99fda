import { podEventObject } from '@rxlet/pod-model';
import { killContainer } from '../kill/kill-container.ts';
import { killPodContents } from '../kill/kill-pod.ts';
import { removeContainer } from '../kill/remove-container.ts';
import { failedResult } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** Stops and removes what a sync wants gone before anything is started. @returns whether that succeeded; else the sync ends here. */
export async function clearTheWay(run: SyncRun): Promise<boolean> {
  if (run.actions.killPod) return stopEverything(run);
  return (await killSingleContainers(run)) && (await resetContainers(run));
}

async function stopEverything({ context, pod, status, actions, record, signal }: SyncRun): Promise<boolean> {
  if (actions.createSandbox && actions.sandboxId !== '') {
    const message = 'Pod sandbox changed, it will be killed and re-created.';
    context.events.event(podEventObject(pod), 'Normal', 'SandboxChanged', message);
  }
  let stopped = true;
  await killPodContents(
    context,
    pod,
    status,
    (result) => {
      stopped &&= result.reason === undefined;
      record(result);
    },
    { signal },
  );
  return stopped;
}

/** One after the other; the first one that cannot be stopped ends the sync. */
async function killSingleContainers({ context, pod, status, actions, record, signal }: SyncRun): Promise<boolean> {
  for (const { id, name, message, reason } of actions.containersToKill) {
    try {
      await killContainer(context, { pod, identity: status, container: { id, name }, message, reason, signal });
      record({ action: 'KillContainer', target: name });
    } catch (error) {
      record(failedResult('KillContainer', name, error, 'KillContainerError'));
      return false;
    }
  }
  return true;
}

/** Takes instances away for a restart of all containers. Their logs stay, for the pod goes on. */
async function resetContainers({ context, pod, status, actions, record, signal }: SyncRun): Promise<boolean> {
  for (const { id, name, kill } of actions.containersToReset) {
    const container = { id, name };
    try {
      if (kill) await killContainer(context, { pod, identity: status, container, gracePeriodSeconds: 0, signal });
      await removeContainer(context, id, signal);
      record({ action: 'RemoveContainer', target: name });
    } catch (error) {
      record(failedResult('RemoveContainer', name, error, 'RemoveContainerError'));
      return false;
    }
  }
  return true;
}
