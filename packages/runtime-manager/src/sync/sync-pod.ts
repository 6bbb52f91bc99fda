import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, newestContainerStatus, type RuntimePodStatus, shouldAllContainersRestart } from '@rxlet/pod-model';
import { computePodActions } from '../compute/compute-pod-actions.ts';
import type { PodActions } from '../compute/pod-actions.ts';
import type { ProbeResults } from '../compute/probe-results.ts';
import type { Context } from '../context.ts';
import { releaseContainer } from '../kill/remove-container.ts';
import { recordActuatedPod } from '../resize/record-actuated.ts';
import { recoverActuated } from '../resize/recover-actuated.ts';
import { resizesAnything } from '../resize/resize-pod.ts';
import { clearTheWay } from './clear-the-way.ts';
import { createSandbox, readSandboxIps, sandboxConfigFor, type SandboxHandle } from './create-sandbox.ts';
import { removeStrays } from './never-started.ts';
import { pruneInitContainers } from './prune-init-containers.ts';
import { startContainers } from './start-containers.ts';
import { failedResult, StepFailure } from './step-failure.ts';
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
  /** Told the addresses of a new sandbox before the first container is started in it. Must not throw. */
  readonly onSandboxReady?: ((ips: readonly string[]) => void) | undefined;
  /**
   * Ends the sync: the calls under way are cancelled, but for those that make or start something, which are given `FINISH_SENT_CALLS_MS` (5 s) to end. For the end
   * of the agent and for that of the pod.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings a pod one step nearer to its spec: decides what is needed and carries it out in the kubelet's order. Each step is recorded; one that fails ends
 * those that depend on it and no others.
 */
export async function syncPodContents(
  context: Context,
  pod: Pod,
  found: RuntimePodStatus,
  record: (result: SyncResult) => void,
  options: SyncPodOptions,
): Promise<void> {
  const { livenessResults, startupResults, signal } = options;
  const status = await removeStrays(context, found, signal);
  const restartAllContainers = shouldAllContainersRestart(pod, status, pod.status);
  const actuated = await recoverActuated(context, pod, status);
  const actions = computePodActions({
    pod,
    status,
    livenessResults,
    startupResults,
    restartAllContainers,
    actuatedResources: actuated.containers,
    actuatedPodResources: actuated.pod,
  });
  const run: SyncRun = { context, pod, status, actions, record, signal };

  await releaseEndedContainers(run);
  if (!(await clearTheWay(run))) return;
  if (actions.killPod && !actions.createSandbox) return;
  await pruneInitContainers(context, pod, status, actions.createSandbox ? 'all' : 'superseded', signal);
  if (!startsAnything(actions) && !resizesAnything(actions)) return;
  const sandbox = actions.createSandbox ? await newSandbox(run, options) : await currentSandbox(run);
  if (sandbox !== undefined) await startContainers(run, sandbox);
}

/** What containers that ended were given is free at once, not only when they are removed: their successors want it. */
async function releaseEndedContainers({ context, pod, status }: SyncRun): Promise<void> {
  for (const { name } of pod.spec!.containers) {
    const newest = newestContainerStatus(status, name);
    if (newest !== undefined && newest.state !== 'running') await releaseContainer(context, newest.id.id);
  }
}

async function newSandbox(
  { context, pod, actions, record, signal }: SyncRun,
  { isTerminationRequested = () => false, onSandboxReady }: SyncPodOptions,
): Promise<SandboxHandle | undefined> {
  try {
    const made = await createSandbox(context, pod, actions.attempt, isTerminationRequested, signal);
    if (made === undefined) return undefined;
    recordActuatedPod(context, pod);
    const ips = signal?.aborted === true ? [] : await readSandboxIps(context, pod, made.id, signal);
    record({ action: 'CreatePodSandbox', target: formatPod(pod) });
    signal?.throwIfAborted();
    onSandboxReady?.(ips);
    return { ...made, ips };
  } catch (error) {
    record(failedResult('CreatePodSandbox', formatPod(pod), error, 'CreatePodSandboxError'));
    return undefined;
  }
}

async function currentSandbox({ context, pod, status, actions, record }: SyncRun): Promise<SandboxHandle | undefined> {
  try {
    const { config } = await sandboxConfigFor(context, pod, actions.attempt);
    return { id: actions.sandboxId, config, ips: status.ips };
  } catch (error) {
    const message = `GeneratePodSandboxConfig for pod "${formatPod(pod)}" failed: ${errorMessage(error)}`;
    const failure = new StepFailure('ConfigPodSandboxError', message, { cause: error });
    record(failedResult('ConfigPodSandbox', formatPod(pod), failure, failure.reason));
    return undefined;
  }
}

function startsAnything(actions: PodActions): boolean {
  const { createSandbox, ephemeralContainersToStart, initContainersToStart, containersToStart } = actions;
  return (
    createSandbox || ephemeralContainersToStart.length + initContainersToStart.length + containersToStart.length > 0
  );
}
