import { podEventObject } from '@rxlet/pod-model';
import { killContainer } from '../kill/kill-container.ts';
import { killPodContents } from '../kill/kill-pod.ts';
import { removeContainer } from '../kill/remove-container.ts';
import { failedResult } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/**
 * Stops and removes the containers and sandboxes that the actions name, before the sync starts containers. Only the stop of the agent cancels it: a
 * cancellation by the pod's termination would run preStop hooks twice.
 * @returns whether all of them were stopped and removed; otherwise the sync ends
 */
export async function preparePod(run: SyncRun): Promise<boolean> {
  if (run.actions.killPod) return stopPod(run);
  return (await killContainers(run)) && (await resetContainers(run));
}

async function stopPod({ context, pod, status, actions, record }: SyncRun): Promise<boolean> {
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
    { signal: context.stopping },
  );
  return stopped;
}

/** Kills single containers one after another, until one fails. */
async function killContainers({ context, pod, status, actions, record }: SyncRun): Promise<boolean> {
  for (const { id, name, message, reason } of actions.containersToKill) {
    const container = { id, name };
    try {
      await killContainer(context, { pod, identity: status, container, message, reason, signal: context.stopping });
      record({ action: 'KillContainer', target: name });
    } catch (error) {
      record(failedResult('KillContainer', name, error, 'KillContainerError'));
      return false;
    }
  }
  return true;
}

/** Options of kills for a restart of all containers, as in the kubelet: no grace period. */
const resetKill = { gracePeriodSeconds: 0, message: 'killing' } as const;

/** Removes instances for a restart of all containers. Their logs are kept, because the pod continues. */
async function resetContainers({ context, pod, status, actions, record }: SyncRun): Promise<boolean> {
  for (const { id, name, kill } of actions.containersToReset) {
    const container = { id, name };
    try {
      if (kill)
        await killContainer(context, { pod, identity: status, container, ...resetKill, signal: context.stopping });
      await removeContainer(context, id, context.stopping);
      record({ action: 'RemoveContainer', target: name });
    } catch (error) {
      record(failedResult('RemoveContainer', name, error, 'RemoveContainerError'));
      return false;
    }
  }
  return true;
}
