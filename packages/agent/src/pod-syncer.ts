import { errorMessage, type EventRecorder, type Logger } from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import {
  emptyRuntimePodStatus,
  formatPod,
  isHostNetworkPod,
  isStaticPod,
  podEventObject,
  readRuntimePods,
  readRuntimePodStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import type { PodSubject, PodSyncer } from '@rxlet/pod-workers';
import type { PodSyncResult, RuntimeManager } from '@rxlet/runtime-manager';
import type { Prober } from '@rxlet/prober';
import { generatePodStatus, type PodStartLatency, type StartErrors, type StatusManager } from '@rxlet/status-manager';
import type { MirrorPods } from './mirror-pods.ts';
import type { RuntimeState } from './runtime-state.ts';
import type { TerminationMessages } from './termination-messages.ts';

/** What a pod syncer joins. */
export interface PodSyncerPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /** Runtime name that prefixes container ids. */
  readonly runtimeName: string;
  readonly runtimeState: Pick<RuntimeState, 'known' | 'runtimeProblem' | 'networkProblem'>;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly mirrorPods: Pick<MirrorPods, 'reconcile'>;
  readonly runtimeManager: Pick<RuntimeManager, 'syncPod' | 'killPod' | 'removePod'>;
  readonly statusManager: Pick<StatusManager, 'get' | 'previousStatus' | 'setPodStatus' | 'terminatePod'>;
  readonly prober: Pick<
    Prober,
    | 'addPod'
    | 'removePod'
    | 'stopLivenessAndStartup'
    | 'updateStatus'
    | 'livenessResults'
    | 'startupResults'
    | 'isReady'
    | 'isStarted'
  >;
  readonly startLatency: Pick<PodStartLatency, 'statusGenerated'>;
  readonly terminationMessages: TerminationMessages;
  readonly startErrors: Pick<StartErrors, 'update' | 'forPod' | 'forget'>;
  /** Asks for a look at a pod in which something was changed. */
  requestRelist(podUid: string): void;
  /** The same, even if what was changed does not show in lists. */
  requestReinspect(podUid: string): void;
  /** Addresses of the node, the primary one first. */
  readonly hostIps: readonly string[];
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
  const {
    runtime,
    runtimeName,
    runtimeState,
    events,
    logger,
    mirrorPods,
    runtimeManager,
    statusManager,
    prober,
    startLatency,
    terminationMessages,
    startErrors,
    requestRelist,
    requestReinspect,
    hostIps,
  } = ports;

  const report = async (
    pod: Pod,
    status: RuntimePodStatus,
    podIsTerminal = false,
    amend: (generated: PodStatus) => PodStatus = (generated) => generated,
  ): Promise<PodStatus> => {
    const uid = pod.metadata?.uid ?? '';
    const generatedAlone = generatePodStatus({
      pod,
      runtime: await terminationMessages(pod, status),
      previous: statusManager.previousStatus(pod),
      lastStartErrors: startErrors.forPod(uid),
      podIsTerminal,
      hostIps,
      probes: prober,
    });
    // Whoever ends a pod may have more to say about it: that it was evicted, and why.
    const generated = amend(generatedAlone);
    startLatency.statusGenerated(pod, statusManager.get(uid), generated);
    statusManager.setPodStatus(pod, generated);
    prober.updateStatus(uid);
    return generated;
  };

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
      });
      rememberStartErrors(uid, result);
      // Changed resources do not show in lists.
      if (result.results.some(({ action }) => action === 'ResizePodInPlace')) requestReinspect(uid);
      else if (result.results.length > 0) requestRelist(uid);
      if (result.error === undefined) return { completed: false };
      signal.throwIfAborted();
      // Why a container cannot start is shown at once, not with the next sync.
      await report(pod, status);
      throw result.error;
    },

    async syncTerminatingPod({ subject, status, gracePeriodSeconds, amendStatus, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status, false, amendStatus);
      // Readiness goes on being probed: who sends requests to the pod must see it go.
      prober.stopLivenessAndStartup(status.uid);
      const { error } = await runtimeManager.killPod(podOf(subject), status, { gracePeriodSeconds, signal });
      requestRelist(status.uid);
      signal.throwIfAborted();
      if (error !== undefined) throw error;
      prober.removePod(status.uid);
      const after = await readAfresh(status.uid, signal);
      const running = after.containers.filter(({ state }) => state === 'running');
      if (running.length > 0) throw new ContainersStillRunning(running.map(({ name }) => name));
      if (subject.kind === 'pod') await report(subject.pod, { ...after, ips: status.ips }, true, amendStatus);
    },

    async syncTerminatedPod({ subject, status, removeContent, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status, true);
      if (removeContent) {
        const identity = subject.kind === 'pod' ? subject.pod.metadata : subject.pod;
        const { name = '', namespace = '' } = identity ?? {};
        const { error } = await runtimeManager.removePod({ ...status, name, namespace }, { signal });
        requestRelist(status.uid);
        if (error !== undefined) throw error;
      }
      startErrors.forget(status.uid);
      if (subject.kind === 'pod') statusManager.terminatePod(subject.pod);
    },
  };
}

function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}
