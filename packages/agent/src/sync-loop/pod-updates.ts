import type { AdmissionHandler, AdmissionRejection, OtherPods } from '@rxlet/agent-api';
import type { PodAllocations } from '@rxlet/agent-api/node';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import type { Clock, Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod, isTerminalPhase, PodAnnotation, podUid } from '@rxlet/pod-model';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig, PodOperation } from '@rxlet/pod-config';
import type { PodWorkers, PodWorkerTransition } from '@rxlet/pod-workers';
import { needsReadinessReconcile, type StatusManager } from '@rxlet/status-manager';
import { mayRun } from '../housekeeping/may-run.ts';
import type { JournalRecorder } from '../journal/journal-recorder.ts';
import type { PodView } from '../outputs/pod-view.ts';
import { createAdmissionQueue } from './admission-queue.ts';
import { isFromEarlierIncarnation } from './earlier-incarnation.ts';
import type { PodAdmissions } from './pod-admissions.ts';
import { createPodAttempts } from './pod-attempts.ts';
import type { RejectPod } from './reject-pod.ts';
import { createStatusDrift } from './status-drift.ts';

/** Ports of {@link createPodUpdates}. */
export interface PodUpdatesPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'sourcesReady' | 'find' | 'findStatic'>;
  readonly pleg: Pick<Pleg, 'find' | 'named'>;
  readonly workers: Pick<PodWorkers, 'add' | 'update' | 'reconcile' | 'terminate' | 'terminateRuntimePod' | 'state'>;
  readonly statusManager: Pick<
    StatusManager,
    'previousStatus' | 'setPodStatus' | 'forget' | 'startAnew' | 'get' | 'republish'
  >;
  readonly admission: readonly AdmissionHandler[];
  readonly admissions: PodAdmissions;
  readonly rejectPod: RejectPod;
  readonly view: Pick<PodView, 'put' | 'putAdopted' | 'markDeleted' | 'remove'>;
  readonly journal: JournalRecorder;
  /** Default: pods have the resources that are desired. */
  readonly allocations?: Pick<PodAllocations, 'admit'> | undefined;
  /** Default: static pods have no mirrors. */
  readonly mirrorPods?: Pick<MirrorPods, 'mirrorOf'> | undefined;
  /** Returns the pods that occupy the node beside one. */
  otherPods(podUid: string): OtherPods;
  /** Reports whether a container or sandbox of the pod runs. */
  isRunning(podUid: string): boolean;
  /** Requests a sync of a pod. */
  requestSync(podUid: string): void;
  /** Removes all dead containers of an evicted pod. */
  removeDeadContainers(podUid: string): void;
}

/** Application of source updates to the workers: admission, order of static pods, the view of pods. */
export interface PodUpdates extends AsyncDisposable {
  /** Handles an operation of a source on one pod. When that fails, the pod waits, with an event, and is handled again. */
  handle(op: PodOperation, pod: Pod): void;
  /** Adds a desired pod, unless it has a worker, waits for its admission or another attempt, or was rejected. */
  addMissing(pod: Pod): void;
  /** Records the sources that have reported all their pods. */
  setReadySources(names: ReadonlySet<string>): void;
  /** Records a transition. A pod that starts again under its UID does not continue from its old status. */
  podChangedState(transition: PodWorkerTransition): void;
  /** Compares the status in the mirror pod of a static pod with that of the pod. */
  mirrorChanged(fullName: string): void;
  /** Forgets finished pods that the workers have forgotten. */
  forgetFinished(): void;
}

function sourceOf(pod: Pod): string {
  return pod.metadata?.annotations?.[PodAnnotation.configSource] ?? '';
}

/** Creates {@link PodUpdates}: the kubelet's HandlePodAdditions and its siblings. */
export function createPodUpdates(ports: PodUpdatesPorts): PodUpdates {
  const { clock, logger, events, config, pleg, workers, statusManager, view, journal } = ports;
  const { waiting, rejected } = ports.admissions;
  /** UIDs of the pods that the workers have finished. */
  const finished = new Set<string>();
  /** UIDs of pods whose addition to the workers failed. It must be repeated as such, also while an earlier pod of the same UID terminates. */
  const unadded = new Set<string>();
  let readySources: ReadonlySet<string> = new Set();

  const apiPod = (uid: string): Pod | undefined => {
    const pod = config.find(uid);
    return pod !== undefined && isStaticPod(pod) ? ports.mirrorPods?.mirrorOf?.(pod) : pod;
  };
  const drift = createStatusDrift({ clock, logger, apiPod, statusManager });

  /** Shows a new pod. After a restart of the agent, the last reported status is shown until a new one is generated, unless the UID was reused by a new incarnation. */
  const show = (pod: Pod): void => {
    const uid = podUid(pod);
    if (finished.has(uid)) return view.put(pod);
    const running = pleg.find(uid);
    const isKnown = statusManager.get(uid) !== undefined;
    if (
      running !== undefined &&
      !isKnown &&
      isFromEarlierIncarnation(pod, statusManager.previousStatus(pod), running)
    ) {
      statusManager.startAnew(pod);
    }
    const status = statusManager.previousStatus(pod);
    const isAdopted = status.conditions === undefined && running !== undefined;
    (isAdopted ? view.putAdopted : view.put)({ ...pod, status });
  };

  const add = (pod: Pod): void => {
    show(pod);
    const attributes = { source: sourceOf(pod) };
    journal.record(pod.metadata, { kind: 'pod.source', within: 'life', once: 'source', attributes });
    // A pod that must terminate needs no admission.
    const terminates = pod.metadata?.deletionTimestamp !== undefined || isTerminalPhase(pod.status?.phase);
    if (terminates) addToWorkers(pod);
    else queue.add(pod);
  };

  /** Adds a pod to the workers, unless it must wait for a predecessor. It gets the resources of the version that was judged, and its present ones by a resize. */
  const addToWorkers = (pod: Pod, judged: Pod = pod): void => {
    const uid = podUid(pod);
    unadded.add(uid);
    addOrWait(pod, judged);
    unadded.delete(uid);
  };

  const addOrWait = (pod: Pod, judged: Pod): void => {
    const predecessors = isStaticPod(pod) ? predecessorsOf(pod) : [];
    if (predecessors.length > 0) {
      // Housekeeping adds it again when its source is ready.
      const source = sourceOf(pod);
      if (!readySources.has(source)) return journal.hold(pod.metadata, { kind: 'source.ready', subject: source });
      // Until all sources are ready, a predecessor may belong to another source. As in the kubelet, the pod does not wait, because that source may depend on it.
      if (config.sourcesReady()) predecessors.forEach(workers.terminateRuntimePod);
    }
    ports.allocations?.admit(judged);
    workers.add(pod);
  };

  const reject = (pod: Pod, rejection: AdmissionRejection): void => {
    // The failure of a handler must not terminate a pod that has been running since before a restart of the agent.
    if (rejection.reason === 'UnexpectedAdmissionError' && ports.isRunning(podUid(pod)))
      throw new Error(rejection.message);
    ports.rejectPod(pod, rejection);
    rejected.add(podUid(pod));
  };

  /** Returns pods in the runtime, unknown since a restart of the agent, that have the name of a static pod. The static pod must wait until they have finished. */
  const predecessorsOf = ({ metadata }: Pod): readonly RuntimePod[] =>
    pleg
      .named(metadata?.namespace ?? '', metadata?.name ?? '')
      .filter(
        (running) =>
          running.uid !== metadata?.uid &&
          mayRun(running) &&
          workers.state(running.uid) === undefined &&
          !queue.has(running.uid),
      );

  const queue = createAdmissionQueue({
    clock,
    logger,
    handlers: ports.admission,
    journal,
    waiting,
    otherPods: ports.otherPods,
    isRunning: ports.isRunning,
    decided: (pod, rejection, judged) =>
      attempts.run(pod, () => (rejection === undefined ? addToWorkers(pod, judged) : reject(pod, rejection))),
  });

  const update = (pod: Pod): void => {
    const uid = podUid(pod);
    // After a lost watch, the change of a user and that of a foreign status come as one.
    drift.check(uid);
    if (queue.has(uid)) {
      view.put(pod);
      queue.add(pod);
      return;
    }
    if (!rejected.has(uid) && (workers.state(uid) === undefined || unadded.has(uid))) {
      add(pod);
      return;
    }
    view.put(pod);
    journal.record(pod.metadata, { kind: 'pod.updated', within: 'life' });
    if (!rejected.has(uid)) workers.update(pod);
  };

  /** A status in the API is mostly the agent's own report: only a foreign one, readiness gates and an eviction need a reaction. */
  const reconcile = (pod: Pod): void => {
    const uid = podUid(pod);
    drift.check(uid);
    if (rejected.has(uid)) return;
    if (queue.has(uid)) {
      queue.add(pod);
      return;
    }
    workers.reconcile(pod);
    if (needsReadinessReconcile(pod)) ports.requestSync(uid);
    if (pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted') ports.removeDeadContainers(uid);
  };

  /** Adds a worker for a rejected or waiting pod as well, which reports its termination. */
  const deleteGracefully = (pod: Pod): void => {
    drift.check(podUid(pod));
    view.put(pod);
    rejected.delete(podUid(pod));
    queue.remove(podUid(pod));
    unadded.delete(podUid(pod));
    workers.update(pod);
  };

  const remove = (pod: Pod): void => {
    const uid = podUid(pod);
    rejected.delete(uid);
    queue.remove(uid);
    attempts.forget(uid);
    unadded.delete(uid);
    view.markDeleted(uid);
    if (!config.sourcesReady()) journal.hold({ uid }, { kind: 'source.ready' });
    if (workers.state(uid) === undefined) view.remove(uid);
    // Until all sources are ready, another source may have the pod; housekeeping decides later.
    else if (config.sourcesReady()) void workers.terminate(uid, { reason: 'deleted' });
  };

  const handlers: Readonly<Record<PodOperation, (pod: Pod) => void>> = {
    ADD: add,
    UPDATE: update,
    RECONCILE: reconcile,
    DELETE: deleteGracefully,
    REMOVE: remove,
  };
  const handle = (op: PodOperation, pod: Pod): void => {
    // The next attempt uses the latest version. Only then is the failed operation complete.
    if (op === 'RECONCILE' && attempts.has(podUid(pod))) return;
    attempts.run(pod, () => handlers[op](pod));
  };
  const attempts = createPodAttempts({
    clock,
    logger,
    events,
    journal,
    isSettled: (uid) => rejected.has(uid) || workers.state(uid) !== undefined,
    retry(uid) {
      const pod = config.find(uid);
      if (pod === undefined) attempts.forget(uid);
      else handlers[pod.metadata?.deletionTimestamp === undefined ? 'UPDATE' : 'DELETE'](pod);
    },
  });

  return {
    handle,
    addMissing(pod) {
      const uid = podUid(pod);
      const isHandled = workers.state(uid) !== undefined || rejected.has(uid) || queue.has(uid);
      if (!isHandled && !attempts.has(uid)) handle('ADD', pod);
    },
    setReadySources(names) {
      readySources = names;
    },
    podChangedState({ uid, from, to }) {
      if (to.kind === 'finished') finished.add(uid);
      else if (from === undefined && finished.delete(uid)) {
        statusManager.forget(uid);
        journal.close(uid);
      }
    },
    mirrorChanged(fullName) {
      const pod = config.findStatic(fullName);
      if (pod !== undefined) drift.check(podUid(pod));
    },
    forgetFinished() {
      for (const uid of finished) if (workers.state(uid) === undefined) finished.delete(uid);
    },
    async [Symbol.asyncDispose]() {
      drift[Symbol.dispose]();
      attempts[Symbol.dispose]();
      await queue[Symbol.asyncDispose]();
    },
  };
}
