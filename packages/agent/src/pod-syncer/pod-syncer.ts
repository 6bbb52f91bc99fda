import { errorMessage, type EventRecorder, type Logger } from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import {
  allContainersCouldRestart,
  emptyRuntimePodStatus,
  formatPod,
  isHostNetworkPod,
  isStaticPod,
  podEventObject,
  readRuntimePods,
  readRuntimePodStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import type { Pleg } from '@rxlet/pleg';
import type { PodSubject, PodSyncer } from '@rxlet/pod-workers';
import type { PodSyncResult, RuntimeManager } from '@rxlet/runtime-manager';
import type { Prober } from '@rxlet/prober';
import type { StartErrors, StatusManager } from '@rxlet/status-manager';
import type { RuntimeState } from '../node/runtime-state.ts';
import type { ActiveDeadlines } from './active-deadlines.ts';
import type { MirrorPods } from './mirror-pods.ts';
import { createReportStatus, type ReportStatusPorts } from './report-status.ts';

/** What a pod syncer joins. */
export interface PodSyncerPorts extends ReportStatusPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /** Runtime name that prefixes container ids. */
  readonly runtimeName: string;
  readonly runtimeState: Pick<RuntimeState, 'known' | 'runtimeProblem' | 'networkProblem'>;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly mirrorPods: Pick<MirrorPods, 'reconcile'>;
  readonly runtimeManager: Pick<RuntimeManager, 'syncPod' | 'killPod' | 'removePod'>;
  readonly statusManager: ReportStatusPorts['statusManager'] &
    Pick<StatusManager, 'setReadyToStartContainers' | 'terminatePod'>;
  readonly prober: ReportStatusPorts['prober'] &
    Pick<Prober, 'addPod' | 'removePod' | 'stopLivenessAndStartup' | 'livenessResults' | 'startupResults'>;
  readonly startErrors: Pick<StartErrors, 'update' | 'forPod' | 'forget'>;
  readonly activeDeadlines: ActiveDeadlines;
  /** Has a pod synced once more, soon after the step that runs for it. */
  syncAgain(podUid: string): void;
  /** Who is asked for a look at a pod in which something was changed. */
  readonly pleg: Pick<Pleg, 'requestRelist' | 'requestReinspect'>;
}

/** The runtime still runs containers although it said that it stopped them all. */
export class ContainersStillRunning extends Error {
  override readonly name = 'ContainersStillRunning';

  constructor(names: readonly string[]) {
    super(`the runtime still runs ${names.join(', ')} after it stopped the pod`);
  }
}

/** The node cannot start this pod at present; the cause may pass soon. */
export class NodeNotReady extends Error {
  override readonly name = 'NodeNotReady';
  /** See RetryHint of @rxlet/pod-workers. */
  readonly transient = true;
}

/** What the workers call for each pod: runtime manager, status manager and start errors, in the kubelet's order (SyncPod and its siblings). */
export function createPodSyncer(ports: PodSyncerPorts): PodSyncer {
  const { runtime, runtimeName, runtimeState, events, logger } = ports;
  const { mirrorPods, runtimeManager, statusManager, prober, startErrors, pleg } = ports;
  const report = createReportStatus(ports);

  const rememberStartErrors = (uid: string, { results }: PodSyncResult): void => {
    startErrors.update(
      uid,
      results
        .filter(({ action }) => action === 'StartContainer')
        .map(({ target, reason, message = '' }) => ({
          container: target,
          ...(reason && { error: { reason, message } }),
        })),
    );
  };

  /** Reads past the cache: only the runtime itself can tell that nothing runs any more. */
  const readAfresh = async (uid: string, signal: AbortSignal): Promise<RuntimePodStatus> => {
    const [pod] = await readRuntimePods(runtime, { runtimeName, uid, signal });
    return pod === undefined ? emptyRuntimePodStatus(uid) : readRuntimePodStatus(runtime, pod, { runtimeName, signal });
  };

  /** What a sync that failed left of the pod. One that only waits has changed nothing. */
  const readAfterFailure = async (
    before: RuntimePodStatus,
    { results }: PodSyncResult,
    signal: AbortSignal,
  ): Promise<RuntimePodStatus> => {
    if (results.every(({ backoffUntilMs }) => backoffUntilMs !== undefined)) return before;
    try {
      return await readAfresh(before.uid, signal);
    } catch {
      signal.throwIfAborted();
      return before;
    }
  };

  /** Nothing can be started without a runtime, and without a network only what uses the node's. */
  const waitForNode = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    await runtimeState.known(signal);
    const runtimeProblem = runtimeState.runtimeProblem();
    if (runtimeProblem !== undefined) throw new NodeNotReady(runtimeProblem);
    const networkProblem = runtimeState.networkProblem();
    if (networkProblem === undefined || isHostNetworkPod(pod)) return;
    const message = `network is not ready: ${networkProblem}`;
    events.event(podEventObject(pod), 'Warning', 'NetworkNotReady', message);
    throw new NodeNotReady(message);
  };

  /** An API server that is away is no reason not to run what was not its own. */
  const reconcileMirror = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    if (!isStaticPod(pod)) return;
    try {
      await mirrorPods.reconcile(pod, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('cannot keep the mirror of a static pod', { pod: formatPod(pod), error: errorMessage(error) });
    }
  };

  return {
    async syncPod({ pod, status, signal }) {
      const uid = pod.metadata?.uid ?? '';
      const { phase } = await report(pod, status);
      if (phase === 'Succeeded' || phase === 'Failed') return { completed: true };
      await waitForNode(pod, signal);
      await reconcileMirror(pod, signal);
      prober.addPod(pod);
      const result = await runtimeManager.syncPod(pod, status, {
        signal,
        livenessResults: prober.livenessResults(),
        startupResults: prober.startupResults(),
        isTerminationRequested: () => signal.aborted,
        // Pulls and hooks may take long after that.
        onSandboxReady: () => statusManager.setReadyToStartContainers(uid),
      });
      rememberStartErrors(uid, result);
      // Changed resources do not show in lists.
      if (result.results.some(({ action }) => action === 'ResizePodInPlace')) pleg.requestReinspect(uid);
      else if (result.results.length > 0) pleg.requestRelist(uid);
      if (result.error === undefined) {
        if (wereReset(pod, result)) ports.syncAgain(uid);
        return { completed: false };
      }
      signal.throwIfAborted();
      // Why a container cannot start is shown at once, not with the next sync.
      await report(pod, await readAfterFailure(status, result, signal));
      throw result.error;
    },

    async syncTerminatingPod({ subject, status, gracePeriodSeconds, amendStatus, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status, { amend: amendStatus });
      // Readiness goes on being probed: who sends requests to the pod must see it go.
      prober.stopLivenessAndStartup(status.uid);
      const { error } = await runtimeManager.killPod(podOf(subject), status, { gracePeriodSeconds, signal });
      pleg.requestRelist(status.uid);
      signal.throwIfAborted();
      if (error !== undefined) throw error;
      prober.removePod(status.uid);
      const after = await readAfresh(status.uid, signal);
      const running = after.containers.filter(({ state }) => state === 'running');
      if (running.length > 0) throw new ContainersStillRunning(running.map(({ name }) => name));
      if (subject.kind === 'pod')
        await report(subject.pod, { ...after, ips: status.ips }, { podIsTerminal: true, amend: amendStatus });
    },

    async syncTerminatedPod({ subject, status, removeContent, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status, { podIsTerminal: true });
      if (removeContent) {
        const identity = subject.kind === 'pod' ? subject.pod.metadata : subject.pod;
        const { name = '', namespace = '' } = identity ?? {};
        const { error } = await runtimeManager.removePod({ ...status, name, namespace }, { signal });
        pleg.requestRelist(status.uid);
        if (error !== undefined) throw error;
      }
      startErrors.forget(status.uid);
      ports.activeDeadlines.forget(status.uid);
      if (subject.kind === 'pod') statusManager.terminatePod(subject.pod);
    },
  };
}

/** Whether containers were removed to be started anew, all together (KEP-5532). That they are gone wakes nobody. */
function wereReset(pod: Pod, { results }: PodSyncResult): boolean {
  return allContainersCouldRestart(pod) && results.some(({ action }) => action === 'RemoveContainer');
}

function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}
