import type { ProbeResults } from '@rxlet/agent-api/containers';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';
import { shouldAllContainersRestart } from '@rxlet/pod-model/restart';
import { newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { computePodActions } from '../compute/compute-pod-actions.ts';
import { withReplacements } from '../compute/container-resets.ts';
import type { PodActions } from '../compute/pod-actions.ts';
import type { Context } from '../context.ts';
import type { RemoveWithLogsPorts } from '../kill/remove-container.ts';
import { recordActuatedPod } from '../resize/record-actuated.ts';
import { recoverActuated } from '../resize/recover-actuated.ts';
import { hasResizes } from '../resize/resize-pod.ts';
import { preparePod, type PreparePodPorts } from './prepare-pod.ts';
import { runPostStopSteps } from './container-steps.ts';
import {
  createSandbox,
  type CreateSandboxPorts,
  readSandboxIps,
  sandboxConfigFor,
  type SandboxConfigPorts,
  type SandboxHandle,
} from './create-sandbox.ts';
import { removeStrayContainers } from './unstarted-containers.ts';
import { pruneInitContainers } from './prune-init-containers.ts';
import { startContainers, type StartContainersPorts } from './start-containers.ts';
import { hasOwnUsers } from '../userns/user-namespaces.ts';
import { failedResult, StepFailure } from './step-failure.ts';
import type { SyncResult } from './sync-result.ts';
import type { SyncRun } from './sync-run.ts';

/** Options of a sync. */
export interface SyncPodOptions {
  /** Liveness results; absent: no container is probed. */
  readonly livenessResults?: ProbeResults | undefined;
  /** Startup results; absent: no container is probed. */
  readonly startupResults?: ProbeResults | undefined;
  /** Whether the status of the pod shows a restart of all containers in progress. Default: as the exit codes of its containers demand. */
  readonly restartAllContainers?: boolean | undefined;
  /** Ids of instances to replace on request: they are stopped with the pod's grace period and removed, and the next sync starts others. Default: none. */
  readonly instancesToReplace?: ReadonlySet<string> | undefined;
  /** Called when a sandbox could not be created; no event is recorded for a pod that must terminate. */
  readonly isTerminationRequested?: (() => boolean) | undefined;
  /** Prepares what a new sandbox needs, before it is created. A rejection, which the caller reports, keeps it from being created. */
  readonly prepareSandbox?: (() => Promise<void>) | undefined;
  /** Called with the addresses of a new sandbox before its first container is started. Must not throw. */
  readonly onSandboxReady?: ((ips: readonly string[]) => void) | undefined;
  /**
   * Aborts when the pod must terminate or the agent stops. The sync then cancels its pulls, hooks and reads. Stops of containers and calls in flight that
   * create or start something are completed, unless the agent stops (see {@link RuntimeManagerPorts.stopping}).
   */
  readonly signal?: AbortSignal | undefined;
}

/** Ports of {@link syncPodContents}. */
export type SyncPodPorts = RemoveWithLogsPorts & PreparePodPorts & CreateSandboxPorts & StartContainersPorts;

/**
 * Decides the next actions for a pod and performs them in the kubelet's order. Each step is recorded; a failure prevents only dependent steps.
 */
export async function syncPodContents(
  ports: SyncPodPorts,
  pod: Pod,
  found: RuntimePodStatus,
  record: (result: SyncResult) => void,
  options: SyncPodOptions,
): Promise<void> {
  const { livenessResults, startupResults, signal } = options;
  const status = await removeStrayContainers(ports, found, signal);
  // Not by `pod.status`: a copy of the API server's status is behind, and would hold the containers back once they are removed.
  const restartAllContainers = options.restartAllContainers ?? shouldAllContainersRestart(pod, status);
  const actuated = await recoverActuated(ports, pod, status);
  const computed = computePodActions({
    pod,
    status,
    livenessResults,
    startupResults,
    restartAllContainers,
    actuatedResources: actuated.containers,
    actuatedPodResources: actuated.pod,
  });
  const actions = withReplacements(computed, pod, status, options.instancesToReplace);
  const run: SyncRun<SyncPodPorts> = { ports, pod, status, actions, record, signal };

  await postStopExitedContainers(run);
  if (!(await preparePod(run))) return;
  signal?.throwIfAborted();
  if (actions.killPod && !actions.createSandbox) return;
  await pruneInitContainers(ports, pod, status, actions.createSandbox ? 'all' : 'superseded', signal);
  if (!hasStarts(actions) && !hasResizes(actions)) return;
  if (!actions.createSandbox) {
    const sandbox = await existingSandbox(run);
    if (sandbox !== undefined) await startContainers(run, sandbox);
    return;
  }
  await measureUserNamespace(run, async (measured) => {
    const sandbox = await prepareNewSandbox(measured, options);
    if (sandbox !== undefined) await startContainers(measured, sandbox);
  });
}

/** Counts the start of a pod with users of its own, and whether a step of it fails. */
async function measureUserNamespace<Ports extends Pick<Context, 'metrics'>>(
  run: SyncRun<Ports>,
  start: (run: SyncRun<Ports>) => Promise<void>,
): Promise<void> {
  if (!hasOwnUsers(run.pod)) return start(run);
  const { startedUserNamespacePods, startedUserNamespacePodErrors } = run.ports.metrics;
  startedUserNamespacePods.inc();
  let isFailed = false;
  const record = (result: SyncResult): void => {
    isFailed ||= result.reason !== undefined;
    run.record(result);
  };
  await start({ ...run, record });
  if (isFailed) startedUserNamespacePodErrors.inc();
}

/** Runs the post-stop steps of exited containers at once, not only at their removal, so that their successors can use the freed resources. */
async function postStopExitedContainers({
  ports,
  pod,
  status,
}: SyncRun<Pick<Context, 'containerSteps' | 'logger'>>): Promise<void> {
  for (const { name } of pod.spec!.containers) {
    const newest = newestContainerStatus(status, name);
    if (newest !== undefined && newest.state !== 'running') await runPostStopSteps(ports, newest.id.id);
  }
}

async function prepareNewSandbox(
  { ports, pod, actions, record, signal }: SyncRun<CreateSandboxPorts & Pick<Context, 'actuated'>>,
  { isTerminationRequested = () => false, prepareSandbox, onSandboxReady }: SyncPodOptions,
): Promise<SandboxHandle | undefined> {
  // As in the kubelet, also the attempts that wait for dynamic resources.
  ports.metrics.startedPods.inc();
  try {
    await prepareSandbox?.();
    const created = await createSandbox(ports, pod, actions.attempt, isTerminationRequested, signal);
    if (created === undefined) return undefined;
    recordActuatedPod(ports, pod);
    const ips = signal?.aborted === true ? [] : await readSandboxIps(ports, pod, created.id, signal);
    record({ action: 'CreatePodSandbox', target: formatPod(pod) });
    signal?.throwIfAborted();
    onSandboxReady?.(ips);
    return { ...created, ips };
  } catch (error) {
    record(failedResult('CreatePodSandbox', formatPod(pod), error, 'CreatePodSandboxError'));
    return undefined;
  }
}

async function existingSandbox({
  ports,
  pod,
  status,
  actions,
  record,
  signal,
}: SyncRun<SandboxConfigPorts>): Promise<SandboxHandle | undefined> {
  try {
    const { config } = await sandboxConfigFor(ports, pod, actions.attempt, signal);
    return { id: actions.sandboxId, config, ips: status.ips };
  } catch (error) {
    const message = `GeneratePodSandboxConfig for pod "${formatPod(pod)}" failed: ${errorMessage(error)}`;
    const failure = new StepFailure('ConfigPodSandboxError', message, { cause: error });
    record(failedResult('ConfigPodSandbox', formatPod(pod), failure, failure.reason));
    return undefined;
  }
}

function hasStarts(actions: PodActions): boolean {
  const { createSandbox, ephemeralContainersToStart, initContainersToStart, containersToStart } = actions;
  return (
    createSandbox || ephemeralContainersToStart.length + initContainersToStart.length + containersToStart.length > 0
  );
}
