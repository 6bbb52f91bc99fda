import { type Clock, DeadlineExceededError, errorMessage, type Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { PodRejectedError, type TerminatingPod } from '@rxlet/agent-api';
import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { PodProbes } from '@rxlet/agent-api/containers';
import { whenTrue } from '@rxlet/component-base/streams';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod, PodCondition } from '@rxlet/kube-api';
import { formatPod, isHostNetworkPod, isStaticPod, podEventObject, podUid } from '@rxlet/pod-model';
import { allContainersCouldRestart } from '@rxlet/pod-model/restart';
import { emptyRuntimePodStatus, type RuntimePod, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { readRuntimePods, readRuntimePodStatus } from '@rxlet/pod-model/cri';
import type { Pleg } from '@rxlet/pleg';
import type { PodSubject, PodSyncer } from '@rxlet/pod-workers';
import type { PodSyncResult, RuntimeManager } from '@rxlet/runtime-manager';
import type { StartErrors, StatusManager } from '@rxlet/status-manager';
import { createJournalStatus } from '../journal/journal-status.ts';
import { metadataOf } from '../journal/journal-workers.ts';
import type { RuntimeState } from '../core/runtime-state.ts';
import type { RejectPod } from '../sync-loop/reject-pod.ts';
import type { PodSteps } from './pod-steps.ts';
import { createReportStatus, type ReportStatus, type ReportStatusPorts } from './report-status.ts';
import type { RestartRequests } from './restart-requests.ts';
import { createResizeOutcomes } from './resize-outcomes.ts';

/** Ports of {@link createPodSyncer}. */
export interface PodSyncerPorts extends Omit<ReportStatusPorts, 'resizeOutcomes' | 'journalStatus'> {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /** Returns the name of the runtime, which prefixes container ids. */
  runtimeName(): string;
  readonly runtimeState: Pick<RuntimeState, 'isKnown' | 'runtimeProblem' | 'networkProblem'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly journal: Journal;
  readonly logger: Logger;
  /** Steps of modules. */
  readonly podSteps: PodSteps;
  readonly rejectPod: RejectPod;
  readonly runtimeManager: Pick<
    RuntimeManager,
    'syncPod' | 'killPod' | 'removePod' | 'actuatedResources' | 'isResizeInProgress' | 'hasRecursiveReadOnlyMounts'
  >;
  readonly statusManager: ReportStatusPorts['statusManager'] &
    Pick<StatusManager, 'setReadyToStartContainers' | 'terminatePod'>;
  readonly probes: ReportStatusPorts['probes'] & Pick<PodProbes, 'livenessResults' | 'startupResults'>;
  readonly startErrors: Pick<StartErrors, 'update' | 'forPod' | 'forget'>;
  readonly restarts: Pick<RestartRequests, 'pending' | 'isRestarting' | 'forget'>;
  /** Requests another sync of a pod, after the running step. */
  requestSync(podUid: string): void;
  /** Relists a pod that was changed. */
  readonly pleg: Pick<Pleg, 'requestRelist' | 'requestReinspect'>;
}

/** The runtime still runs containers that it reported as stopped. */
export class ContainersStillRunning extends Error {
  override readonly name = 'ContainersStillRunning';

  constructor(names: readonly string[]) {
    super(`the runtime still runs ${names.join(', ')} after it stopped the pod`);
  }
}

/** The node cannot start a pod now. */
export class NodeNotReady extends Error {
  override readonly name = 'NodeNotReady';
  /** See RetryHint of @rxlet/pod-workers. */
  readonly transient = true;
}

/** Maximum time for which the removal of its contents delays the end of a pod. */
const REMOVAL_TIMEOUT_MS = 30_000;

/** Creates the steps of the pod workers, in the kubelet's order (SyncPod and its siblings). */
export function createPodSyncer(ports: PodSyncerPorts): PodSyncer {
  const { runtime, runtimeState, clock, events, journal, logger, podSteps } = ports;
  const { runtimeManager, statusManager, probes, startErrors, pleg } = ports;
  const resizeOutcomes = createResizeOutcomes(events);
  const journalStatus = createJournalStatus(journal);
  const report = createReportStatus({
    clock,
    statusManager,
    runtimeManager,
    probes,
    startLatency: ports.startLatency,
    terminationMessages: ports.terminationMessages,
    startErrors,
    restarts: ports.restarts,
    journalStatus,
    resizeOutcomes,
    evictors: ports.evictors,
    contributors: ports.contributors,
    hostIps: ports.hostIps,
  });

  const recordStartErrors = (uid: string, { results }: PodSyncResult): void => {
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

  /** Reads past the cache: only the runtime itself shows that no container runs. */
  const readFromRuntime = async (uid: string, signal: AbortSignal): Promise<RuntimePodStatus> => {
    const options = { runtimeName: ports.runtimeName(), uid, signal };
    const [pod] = await readRuntimePods(runtime, options);
    return pod === undefined ? emptyRuntimePodStatus(uid) : readRuntimePodStatus(runtime, pod, options);
  };

  /** Reads the pod's containers after a failed sync. */
  const readAfterFailure = async (before: RuntimePodStatus, signal: AbortSignal): Promise<RuntimePodStatus> => {
    try {
      return await readFromRuntime(before.uid, signal);
    } catch {
      signal.throwIfAborted();
      return before;
    }
  };

  /** Returns why the node cannot start a pod: without a runtime none, without a network only pods on the host network. */
  const findNodeProblem = async (pod: Pod, signal: AbortSignal): Promise<NodeNotReady | undefined> => {
    await whenTrue(runtimeState.isKnown, signal);
    const runtimeProblem = runtimeState.runtimeProblem();
    if (runtimeProblem !== undefined) {
      journal.hold(pod.metadata, { kind: 'node.runtime', attributes: { message: runtimeProblem } });
      return new NodeNotReady(runtimeProblem);
    }
    journal.release(pod.metadata, { kind: 'node.runtime' });
    const networkProblem = runtimeState.networkProblem();
    if (networkProblem === undefined || isHostNetworkPod(pod)) {
      journal.release(pod.metadata, { kind: 'node.network' });
      return undefined;
    }
    journal.hold(pod.metadata, { kind: 'node.network', attributes: { message: networkProblem } });
    const message = `network is not ready: ${networkProblem}`;
    events.event(podEventObject(pod), 'Warning', 'NetworkNotReady', message);
    return new NodeNotReady(message);
  };

  /**
   * Removes the contents of a pod whose containers have stopped. The pod's end does not depend on it: garbage collection and housekeeping retry failed
   * removals. The wait for it, of limited length, keeps a pod that comes back under the same UID from finding old containers.
   */
  const removeContents = async (subject: PodSubject, status: RuntimePodStatus, signal: AbortSignal): Promise<void> => {
    const { name = '', namespace = '' } = (subject.kind === 'pod' ? subject.pod.metadata : subject.pod) ?? {};
    const identity = { uid: status.uid, name, namespace };
    const deadline = new AbortController();
    using _timer = clock.setTimer(REMOVAL_TIMEOUT_MS, () => {
      deadline.abort(new DeadlineExceededError(REMOVAL_TIMEOUT_MS));
    });
    const bounded = AbortSignal.any([signal, deadline.signal]);
    try {
      const { error } = await runtimeManager.removePod({ ...status, ...identity }, { signal: bounded });
      if (error !== undefined) throw error;
    } catch (error) {
      signal.throwIfAborted();
      const message = `error removing pod after it stopped, will be retried: ${errorMessage(error)}`;
      events.event(podEventObject({ metadata: identity }), 'Warning', 'FailedKillPod', message);
      logger.warn('cannot remove the contents of a stopped pod', {
        pod: formatPod({ metadata: identity }),
        error: errorMessage(error),
      });
    }
  };

  /** Reports a status, best effort: a failure must not keep the pod from being stopped, and its termination is reported later. */
  const reportBestEffort: (...args: Parameters<ReportStatus>) => Promise<void> = async (pod, ...rest) => {
    try {
      await report(pod, ...rest);
    } catch (error) {
      logger.error('cannot report the status of a terminating pod', {
        pod: formatPod(pod),
        error: errorMessage(error),
      });
    }
  };

  const steps: PodSyncer = {
    async syncPod({ pod, status, signal }) {
      const uid = podUid(pod);
      const { phase, conditions = [] } = await report(pod, status);
      if (phase === 'Succeeded' || phase === 'Failed') return { completed: true, unchanged: true };
      const nodeProblem = await findNodeProblem(pod, signal);
      if (nodeProblem !== undefined) return { completed: false, unchanged: true, error: nodeProblem };
      const preparationError = await podSteps.prepare(pod, signal);
      if (preparationError instanceof PodRejectedError) {
        ports.rejectPod(pod, preparationError);
        return { completed: true, unchanged: true };
      }
      if (preparationError !== undefined) return { completed: false, unchanged: true, error: preparationError };
      const instancesToReplace = ports.restarts.pending(uid);
      const result = await runtimeManager.syncPod(pod, status, {
        signal,
        livenessResults: probes.livenessResults(),
        startupResults: probes.startupResults(),
        restartAllContainers: conditions.some(isRestartOfAll),
        instancesToReplace,
        isTerminationRequested: () => signal.aborted,
        prepareSandbox: () => podSteps.prepareSandbox(pod, signal),
        // Not together with the result: image pulls and hooks may take long.
        onSandboxReady: () => statusManager.setReadyToStartContainers(uid),
      });
      recordStartErrors(uid, result);
      resizeOutcomes.record(pod, result);
      const { error } = result;
      const unchanged = result.results.every(({ backoffUntilMs }) => backoffUntilMs !== undefined);
      // Lists do not show changed resources.
      if (result.results.some(({ action }) => action === 'ResizePodInPlace')) pleg.requestReinspect(uid);
      else if (!unchanged) pleg.requestRelist(uid);
      if (error === undefined) {
        if (wereReset(pod, result, instancesToReplace)) ports.requestSync(uid);
        return { completed: false, unchanged };
      }
      signal.throwIfAborted();
      // The status shows at once why a container cannot start, not with the next sync.
      await report(pod, unchanged ? status : await readAfterFailure(status, signal));
      return { completed: false, unchanged, error };
    },

    async syncTerminatingPod({ subject, status, gracePeriodSeconds, runPreStop, amendStatus, signal }) {
      if (subject.kind === 'pod') await reportBestEffort(subject.pod, status, { amend: amendStatus });
      podSteps.terminating(terminatingPod(subject, status));
      const pod = subject.kind === 'pod' ? subject.pod : orphanedPod(subject.pod, status);
      const { error } = await runtimeManager.killPod(pod, status, { gracePeriodSeconds, runPreStop, signal });
      pleg.requestRelist(status.uid);
      signal.throwIfAborted();
      if (error !== undefined) {
        events.event(podEventObject(pod), 'Warning', 'FailedKillPod', `error killing pod: ${error.message}`);
        throw error;
      }
      podSteps.stopped(terminatingPod(subject, status));
      const after = await readFromRuntime(status.uid, signal);
      const running = after.containers.filter(({ state }) => state === 'running');
      if (running.length > 0) throw new ContainersStillRunning(running.map(({ name }) => name));
      // Before the final status, by which the cluster gives the resources to others.
      await podSteps.release(terminatingPod(subject, status), signal);
      if (subject.kind === 'pod')
        await report(subject.pod, { ...after, ips: status.ips }, { podIsTerminal: true, amend: amendStatus });
    },

    async syncTerminatedPod({ subject, status, removeContent, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status, { podIsTerminal: true });
      // Before the pod's directory is removed: volumes are mounted there.
      await podSteps.tearDown(terminatingPod(subject, status), signal);
      if (removeContent) {
        await removeContents(subject, status, signal);
        pleg.requestRelist(status.uid);
      }
      startErrors.forget(status.uid);
      ports.restarts.forget(status.uid);
      resizeOutcomes.forget(status.uid);
      journalStatus.forget(status.uid);
      if (subject.kind !== 'pod') return;
      statusManager.terminatePod(subject.pod);
      // The API server removes the object once it has the status, and no finalizer is left.
      if (subject.pod.metadata?.deletionTimestamp !== undefined && !isStaticPod(subject.pod))
        journal.hold(subject.pod.metadata, { kind: 'pod.delete' });
    },
  };

  // Each step is a phase in the journal of its pod.
  return {
    syncPod: (step) =>
      inSpan(journal, step.pod.metadata, { kind: 'pod.sync', isQuiet: true }, () => steps.syncPod(step), step.signal),
    syncTerminatingPod: (step) =>
      inSpan(
        journal,
        metadataOf(step.subject),
        { kind: 'pod.terminate' },
        () => steps.syncTerminatingPod(step),
        step.signal,
      ),
    syncTerminatedPod: (step) =>
      inSpan(
        journal,
        metadataOf(step.subject),
        { kind: 'pod.clean-up' },
        () => steps.syncTerminatedPod(step),
        step.signal,
      ),
  };
}

function isRestartOfAll({ type, status }: PodCondition): boolean {
  return type === 'AllContainersRestarting' && status === 'True';
}

/** Reports whether containers were removed to be restarted, all together (KEP-5532) or on request. Their removal requests no sync by itself. */
function wereReset(pod: Pod, { results }: PodSyncResult, toReplace: ReadonlySet<string>): boolean {
  return (
    (allContainersCouldRestart(pod) || toReplace.size > 0) && results.some(({ action }) => action === 'RemoveContainer')
  );
}

function terminatingPod(subject: PodSubject, status: RuntimePodStatus): TerminatingPod {
  return { uid: status.uid, pod: subject.kind === 'pod' ? subject.pod : undefined, status };
}

/** Returns the pod object with which an orphaned pod is stopped. As in the kubelet it has only container names, hence no preStop hooks and no order. */
function orphanedPod({ uid, name, namespace }: RuntimePod, { containers }: RuntimePodStatus): Pod {
  const names = new Set(containers.map((container) => container.name));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { uid, name, namespace },
    spec: { containers: [...names].map((container) => ({ name: container })) },
  };
}
