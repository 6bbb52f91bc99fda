import { podEventObject } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { killContainer, type KillContainerPorts } from '../kill/kill-container.ts';
import { killPodContents } from '../kill/kill-pod.ts';
import { removeContainer, type RemoveContainerPorts } from '../kill/remove-container.ts';
import { failedResult } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** Ports of {@link preparePod}. */
export type PreparePodPorts = KillContainerPorts & RemoveContainerPorts & Pick<Context, 'stopping'>;

/**
 * Stops and removes the containers and sandboxes that the actions name, before the sync starts containers. Only the stop of the agent cancels it: a
 * cancellation by the pod's termination would run preStop hooks twice.
 * @returns whether all of them were stopped and removed; otherwise the sync ends
 */
export async function preparePod(run: SyncRun<PreparePodPorts>): Promise<boolean> {
  if (run.actions.killPod) return stopPod(run);
  return (await killContainers(run)) && (await resetContainers(run));
}

async function stopPod({ ports, pod, status, actions, record }: SyncRun<PreparePodPorts>): Promise<boolean> {
  if (actions.createSandbox && actions.sandboxId !== '') {
    const message = 'Pod sandbox changed, it will be killed and re-created.';
    ports.events.event(podEventObject(pod), 'Normal', 'SandboxChanged', message);
  }
  let stopped = true;
  await killPodContents(
    ports,
    pod,
    status,
    (result) => {
      stopped &&= result.reason === undefined;
      record(result);
    },
    { signal: ports.stopping },
  );
  return stopped;
}

/** Kills single containers one after another, until one fails. */
async function killContainers({ ports, pod, status, actions, record }: SyncRun<PreparePodPorts>): Promise<boolean> {
  for (const { id, name, message, reason } of actions.containersToKill) {
    const container = { id, name };
    try {
      await killContainer(ports, { pod, identity: status, container, message, reason, signal: ports.stopping });
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
async function resetContainers({ ports, pod, status, actions, record }: SyncRun<PreparePodPorts>): Promise<boolean> {
  for (const { id, name, kill, isGraceful = false } of actions.containersToReset) {
    const container = { id, name };
    try {
      const how = isGraceful ? { message: `Container ${name} is restarted on request` } : resetKill;
      if (kill) await killContainer(ports, { pod, identity: status, container, ...how, signal: ports.stopping });
      await removeContainer(ports, id, ports.stopping);
      record({ action: 'RemoveContainer', target: name });
    } catch (error) {
      record(failedResult('RemoveContainer', name, error, 'RemoveContainerError'));
      return false;
    }
  }
  return true;
}
