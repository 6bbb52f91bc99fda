import type { Pod } from '@rxlet/kube-api';
import { formatPod, type RuntimePodStatus, shouldAllContainersRestart } from '@rxlet/pod-model';
import { computePodActions } from '../compute/compute-pod-actions.ts';
import type { PodActions } from '../compute/pod-actions.ts';
import type { ProbeResults } from '../compute/probe-results.ts';
import type { Context } from '../context.ts';
import { clearTheWay } from './clear-the-way.ts';
import { createSandbox, sandboxConfigFor, type SandboxHandle } from './create-sandbox.ts';
import { pruneInitContainers } from './prune-init-containers.ts';
import { startContainers } from './start-containers.ts';
import { failedResult } from './step-failure.ts';
import type { SyncResult } from './sync-result.ts';
import type { SyncRun } from './sync-run.ts';

/** What a sync may be told besides the pod and its status. */
export interface SyncPodOptions {
  /** Absent: no container is probed for its liveness. */
  readonly livenessResults?: ProbeResults | undefined;
  /** Absent: no container is probed at its start. */
  readonly startupResults?: ProbeResults | undefined;
  /** Asked when a sandbox could not be created: with the pod on its way out anyway, nobody needs to hear of it. */
  readonly isTerminationRequested?: (() => boolean) | undefined;
  /** Cancels the calls under way and ends the sync. Meant for the end of the agent, not for that of the pod. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings a pod one step nearer to its spec: decides what is needed and carries it out in the kubelet's order. Each step is recorded; one that fails ends
 * those that depend on it and no others.
 */
export async function syncPodContents(
  context: Context,
  pod: Pod,
  status: RuntimePodStatus,
  record: (result: SyncResult) => void,
  options: SyncPodOptions,
): Promise<void> {
  const { livenessResults, startupResults, signal } = options;
  const restartAllContainers = shouldAllContainersRestart(pod, status, pod.status);
  const actions = computePodActions({ pod, status, livenessResults, startupResults, restartAllContainers });
  const run: SyncRun = { context, pod, status, actions, record, signal };

  if (!(await clearTheWay(run))) return;
  if (actions.killPod && !actions.createSandbox) return;
  await pruneInitContainers(context, pod, status, actions.createSandbox ? 'all' : 'superseded', signal);
  if (!startsAnything(actions)) return;
  const sandbox = actions.createSandbox ? await newSandbox(run, options) : await currentSandbox(run);
  if (sandbox !== undefined) await startContainers(run, sandbox);
}

async function newSandbox(
  { context, pod, actions, record, signal }: SyncRun,
  { isTerminationRequested }: SyncPodOptions,
): Promise<SandboxHandle | undefined> {
  try {
    const sandbox = await createSandbox(context, pod, actions.attempt, signal);
    record({ action: 'CreatePodSandbox', target: formatPod(pod) });
    return sandbox;
  } catch (error) {
    if (isTerminationRequested?.() !== true) {
      record(failedResult('CreatePodSandbox', formatPod(pod), error, 'CreatePodSandboxError'));
    }
    return undefined;
  }
}

async function currentSandbox({ context, pod, status, actions, record }: SyncRun): Promise<SandboxHandle | undefined> {
  try {
    const { config } = await sandboxConfigFor(context, pod, actions.attempt);
    return { id: actions.sandboxId, config, ips: status.ips };
  } catch (error) {
    record(failedResult('ConfigPodSandbox', formatPod(pod), error, 'ConfigPodSandboxError'));
    return undefined;
  }
}

function startsAnything(actions: PodActions): boolean {
  const { createSandbox, ephemeralContainersToStart, initContainersToStart, containersToStart } = actions;
  return (
    createSandbox || ephemeralContainersToStart.length + initContainersToStart.length + containersToStart.length > 0
  );
}
