import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventRecorder,
  type Logger,
  type Metrics,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import {
  isStaticPod,
  isTerminalPhase,
  podEventObject,
  podQosClass,
  type RuntimePod,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import type { Pleg, PodLifecycleEvent } from '@rxlet/pleg';
import type { PodConfig, PodOperation, PodUpdate } from '@rxlet/pod-source';
import {
  isKnownTerminated,
  type PodWorkers,
  type PodWorkerTransition,
  shouldContentBeRemoved,
} from '@rxlet/pod-workers';
import type { Prober, ProbeResultChange } from '@rxlet/prober';
import type { FileSystem, RuntimeManager } from '@rxlet/runtime-manager';
import { needsReadinessReconcile, type StatusManager } from '@rxlet/status-manager';
import { interval, map, merge } from 'rxjs';
import { createGarbageCollection } from '../housekeeping/garbage-collection.ts';
import { createHousekeeping } from '../housekeeping/housekeeping.ts';
import type { PodCgroupCleaner } from '../housekeeping/pod-cgroup-cleaner.ts';
import type { PodView } from '../outputs/pod-view.ts';
import type { MirrorPods } from '../pod-syncer/mirror-pods.ts';
import { type AdmissionHandler, type AdmissionRefusal, admitPod, createRejectionCounter } from './admission.ts';
import { createPacedSyncs } from './paced-syncs.ts';

/** What the loop joins. */
export interface SyncLoopPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'updates$' | 'sourcesReady' | 'pods'>;
  readonly pleg: Pick<Pleg, 'events$' | 'cache' | 'pods'>;
  readonly workers: PodWorkers;
  readonly runtimeManager: Pick<RuntimeManager, 'trimDeadContainers' | 'collectGarbage'>;
  readonly statusManager: Pick<
    StatusManager,
    'previousStatus' | 'setPodStatus' | 'setContainerReadiness' | 'setContainerStartup' | 'forget' | 'removeOrphaned'
  >;
  readonly prober: Pick<Prober, 'results$' | 'retainPods'>;
  readonly admission: readonly AdmissionHandler[];
  readonly view: PodView;
  readonly files: FileSystem;
  /** Default: there is no API server that would show static pods. */
  readonly mirrorPods?: MirrorPods | undefined;
  /** Default: the agent makes no cgroups. */
  readonly podCgroupCleaner?: PodCgroupCleaner | undefined;
}

/** Options of {@link createSyncLoop}. */
export interface SyncLoopOptions {
  /** The agent's own directory, as the kubelet's `--root-dir`. */
  readonly rootDirectory: string;
  /** As the API knows the node. */
  readonly nodeName: string;
  /** How often what should not be there is looked for. Default two seconds, as the kubelet's. */
  readonly housekeepingPeriodMs?: number | undefined;
  /** How often dead containers, old sandboxes and logs are collected, the first time at once. Default one minute, as the kubelet's. */
  readonly garbageCollectionPeriodMs?: number | undefined;
}

/** The heart of the agent: tells the workers what to do, from what the sources want, what the runtime did, and what time it is. */
export interface SyncLoop extends AsyncDisposable {
  start(): void;
  /** Has a pod synced soon because something happened to it that neither its source nor the runtime tells of. As with all that happens, not too often. */
  requestSync(podUid: string): void;
  /** What is wrong with the loop; `undefined` while it goes round. */
  problem(): string | undefined;
}

/** A loop that has not gone round for this long hangs, as in the kubelet's /healthz/syncloop. */
const STUCK_AFTER_MS = 300_000;

/** Creates the loop. Nothing happens before {@link SyncLoop.start}. */
export function createSyncLoop(ports: SyncLoopPorts, options: SyncLoopOptions): SyncLoop {
  const { clock, logger, events, config, pleg, workers, runtimeManager, statusManager, prober, admission, view } =
    ports;
  const { housekeepingPeriodMs = 2_000 } = options;
  const lifetime = createLifetime();
  const countRejection = createRejectionCounter(ports.metrics);
  const syncs = createPacedSyncs(clock, (uid) => workers.sync(uid));
  lifetime.defer(() => syncs[Symbol.dispose]());
  /** UIDs of the pods that were refused; one that changes stays refused, until its source replaces it. */
  const refused = new Set<string>();
  /** UIDs of the pods that the workers have finished. */
  const ended = new Set<string>();
  let lastActiveMs: number | undefined;

  const onUpdate = ({ op, pods }: PodUpdate): void => {
    const handle = guarded(`${op} of a pod`, handlers[op]);
    for (const pod of op === 'ADD' ? byCreation(pods) : pods) handle(pod);
  };

  const addPod = (pod: Pod): void => {
    // After a restart of the agent, what was last said of it is true until more is known; of the life that a static pod begins anew it says nothing.
    view.put(ended.has(uidOf(pod)) ? pod : { ...pod, status: statusManager.previousStatus(pod) });
    // One that is to end, or has ended, is only seen to its end.
    const ends = pod.metadata?.deletionTimestamp !== undefined || isTerminalPhase(pod.status?.phase);
    const refusal = ends ? undefined : admitPod(admission, pod, activePods(uidOf(pod)));
    if (refusal !== undefined) {
      refuse(pod, refusal);
      return;
    }
    if (isStaticPod(pod))
      pleg
        .pods()
        .filter((held) => isPredecessor(held, pod))
        .forEach(workers.terminateRuntimePod);
    workers.add(pod);
  };

  const refuse = (pod: Pod, { reason, message }: AdmissionRefusal): void => {
    refused.add(uidOf(pod));
    countRejection(reason);
    events.event(podEventObject(pod), 'Warning', reason, message);
    statusManager.setPodStatus(pod, {
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      qosClass: podQosClass(pod),
    });
  };

  const updatePod = (pod: Pod): void => {
    const uid = uidOf(pod);
    if (!refused.has(uid) && workers.state(uid) === undefined) {
      addPod(pod);
      return;
    }
    view.put(pod);
    if (!refused.has(uid)) workers.update(pod);
  };

  /** What the API shows of a pod is mostly what this agent told it: only the gates of its readiness, and its eviction, call for something to be done. */
  const reconcilePod = (pod: Pod): void => {
    const uid = uidOf(pod);
    if (refused.has(uid)) return;
    workers.reconcile(pod);
    if (needsReadinessReconcile(pod)) syncs.request(uid);
    if (pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted') removeDeadContainers(uid);
  };

  /** Also what never ran here has to be told to be gone. */
  const deletePod = (pod: Pod): void => {
    view.put(pod);
    refused.delete(uidOf(pod));
    workers.update(pod);
  };

  /** Whether the runtime still holds an earlier version of a static pod, of which nobody knows since a restart: the new one has to wait for its end. */
  const isPredecessor = (held: RuntimePod, pod: Pod): boolean =>
    held.uid !== uidOf(pod) &&
    held.name === pod.metadata?.name &&
    held.namespace === pod.metadata.namespace &&
    workers.state(held.uid) === undefined;

  /** The pods with which a new one has to share the node. */
  const activePods = (exceptUid: string): readonly Pod[] =>
    config.pods().filter((pod) => {
      const state = workers.state(uidOf(pod));
      return uidOf(pod) !== exceptUid && state !== undefined && !isKnownTerminated(state);
    });

  const removePod = (pod: Pod): void => {
    const uid = uidOf(pod);
    refused.delete(uid);
    view.markDeleted(uid);
    if (workers.state(uid) === undefined) view.remove(uid);
    else void workers.terminate(uid, { reason: 'deleted' });
  };

  const handlers: Readonly<Record<PodOperation, (pod: Pod) => void>> = {
    ADD: addPod,
    UPDATE: updatePod,
    RECONCILE: reconcilePod,
    DELETE: deletePod,
    REMOVE: removePod,
  };

  const onLifecycleEvent = (event: PodLifecycleEvent): void => {
    if (event.type === 'ContainerRemoved') return;
    syncs.request(event.podUid);
    if (event.type !== 'ContainerDied' || event.containerName === undefined) return;
    const state = workers.state(event.podUid);
    const removeAll = state !== undefined && shouldContentBeRemoved(state);
    // The terminated step removes all there is; only a pod that lives on has to be kept from filling the disk.
    if (state?.kind !== 'syncing' && !removeAll) return;
    trim(pleg.cache.get(event.podUid), event.containerName, removeAll);
  };

  /** An evicted pod is to free at once what it used. */
  const removeDeadContainers = (uid: string): void => {
    const status = pleg.cache.get(uid);
    const dead = status.containers.filter(({ state }) => state === 'exited').map(({ name }) => name);
    for (const name of new Set(dead)) trim(status, name, true);
  };

  const trim = (status: RuntimePodStatus, containerName: string, removeAll: boolean): void =>
    inBackground(
      'removing dead containers',
      runtimeManager.trimDeadContainers(status, containerName, { removeAll, signal: lifetime.signal }),
    );

  /** The same UID again is another life, of which the status of the one before says nothing: neither its restarts nor its end. */
  const onTransition = ({ uid, from, to }: PodWorkerTransition): void => {
    if (to.kind === 'finished') ended.add(uid);
    else if (from === undefined && ended.delete(uid)) statusManager.forget(uid);
  };

  /** A new result changes the pod's status, or lets a container start or restart. That a container lives is no news. */
  const onProbeResult = ({ podUid, containerId, kind, result }: ProbeResultChange): void => {
    if (kind === 'readiness') statusManager.setContainerReadiness(podUid, containerId, result === 'success');
    if (kind === 'startup') statusManager.setContainerStartup(podUid, containerId, result === 'success');
    if (kind !== 'liveness' || result === 'failure') syncs.request(podUid);
  };

  const housekeeping = createHousekeeping({
    ...ports,
    rootDirectory: options.rootDirectory,
    addMissing: (pod) => {
      if (!refused.has(uidOf(pod))) addPod(pod);
    },
  });
  lifetime.defer(() => housekeeping[Symbol.asyncDispose]());

  const housekeep = (): void => {
    syncs.forgetQuiet();
    housekeeping.run();
    for (const uid of ended) if (workers.state(uid) === undefined) ended.delete(uid);
  };

  const garbageCollection = createGarbageCollection(ports, options);
  lifetime.defer(() => garbageCollection[Symbol.asyncDispose]());

  const inBackground = (what: string, work: Promise<unknown>): void => {
    void lifetime.track(work).catch((error: unknown) => {
      if (!lifetime.signal.aborted) logger.error(`${what} failed`, { error: errorMessage(error) });
    });
  };

  /** One handler's failure must not end the loop. */
  const guarded =
    <T>(what: string, handle: (value: T) => void) =>
    (value: T): void => {
      lastActiveMs = clock.monotonicNow();
      try {
        handle(value);
      } catch (error) {
        logger.error(`${what} failed`, { error: errorMessage(error) });
      }
    };

  return {
    start() {
      const subscription = merge(
        config.updates$.pipe(map(guarded('handling pods of a source', onUpdate))),
        pleg.events$.pipe(map(guarded('handling an event of the runtime', onLifecycleEvent))),
        workers.transitions$.pipe(map(guarded('handling the transition of a pod', onTransition))),
        prober.results$.pipe(map(guarded('handling the result of a probe', onProbeResult))),
        interval(housekeepingPeriodMs, clock.scheduler).pipe(map(guarded('housekeeping', housekeep))),
      ).subscribe();
      lifetime.defer(() => subscription.unsubscribe());
      garbageCollection.start();
    },
    requestSync: syncs.request,
    problem() {
      if (lastActiveMs === undefined) return 'the sync loop has not begun';
      return clock.monotonicNow() - lastActiveMs > STUCK_AFTER_MS ? 'sync Loop took longer than expected' : undefined;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Older pods first, so that what there is not enough for goes to them. Those without a time keep their places before the others. */
function byCreation(pods: readonly Pod[]): readonly Pod[] {
  const createdMs = ({ metadata }: Pod): number => Date.parse(metadata?.creationTimestamp ?? '') || 0;
  return pods.toSorted((a, b) => createdMs(a) - createdMs(b));
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
