import type { AdmissionHandler, CorePorts } from '@rxlet/agent-api';
import type { GarbageCollectionStep, HousekeepingStep } from '@rxlet/agent-api/housekeeping';
import type { PodAllocations } from '@rxlet/agent-api/node';
import type { PodProbes, ProbeResultChange } from '@rxlet/agent-api/containers';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { type Clock, createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { follow } from '@rxlet/component-base/streams';
import { podUid } from '@rxlet/pod-model';
import type { Pleg, PodLifecycleEvent } from '@rxlet/pleg';
import type { PodConfig, PodUpdate } from '@rxlet/pod-config';
import type { PodWorkers, PodWorkerTransition } from '@rxlet/pod-workers';
import type { NodeFiles } from '@rxlet/node-files';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import type { StatusManager } from '@rxlet/status-manager';
import { EMPTY, interval, type Observable } from 'rxjs';
import { createGarbageCollection } from '../housekeeping/garbage-collection.ts';
import { createHousekeeping } from '../housekeeping/housekeeping.ts';
import type { StepFailures } from '../housekeeping/isolated-steps.ts';
import { journalExit } from '../journal/journal-exits.ts';
import type { JournalRecorder } from '../journal/journal-recorder.ts';
import type { PodView } from '../outputs/pod-view.ts';
import { mayRun } from '../housekeeping/may-run.ts';
import type { ActivePods } from './active-pods.ts';
import { inAdmissionOrder } from './admission-order.ts';
import { createDeadContainers } from './dead-containers.ts';
import type { LoopActivity } from './loop-activity.ts';
import { createPacedSyncs } from './paced-syncs.ts';
import type { PodAdmissions } from './pod-admissions.ts';
import { createPodUpdates } from './pod-updates.ts';
import type { RejectPod } from './reject-pod.ts';

/** Ports of {@link createSyncLoop}. */
export interface SyncLoopPorts {
  readonly admission: readonly AdmissionHandler[];
  /** UIDs of pods that need a sync now. Read at the start. */
  readonly syncTriggers: readonly Observable<string>[];
  /** Requests a sync of a pod through one of `syncTriggers`. */
  requestSync(podUid: string): void;
  readonly housekeeping: readonly HousekeepingStep[];
  readonly garbageCollection: readonly GarbageCollectionStep[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'updates$' | 'readySources$' | 'sourcesReady' | 'pods' | 'find' | 'findStatic'>;
  readonly pleg: Pick<Pleg, 'events$' | 'cache' | 'pods' | 'find' | 'named'>;
  readonly workers: PodWorkers;
  /** Index of the pods that occupy the node. The sync loop keeps it up to date. */
  readonly activePods: Pick<ActivePods, 'refresh' | 'except'>;
  /** Default: pods are allocated what they desire. */
  readonly allocations?: Pick<PodAllocations, 'admit' | 'allocations$'> | undefined;
  readonly runtimeManager: Pick<RuntimeManager, 'trimDeadContainers'>;
  readonly statusManager: Pick<
    StatusManager,
    | 'previousStatus'
    | 'setPodStatus'
    | 'setContainerReadiness'
    | 'setContainerStartup'
    | 'forget'
    | 'startAnew'
    | 'removeOrphaned'
    | 'get'
    | 'republish'
  >;
  readonly probes: Pick<PodProbes, 'results$'>;
  /** Gets the pods that wait for their admission, and those that were rejected. */
  readonly admissions: PodAdmissions;
  readonly rejectPod: RejectPod;
  /** Gets each event and tick that is handled. */
  readonly activity: Pick<LoopActivity, 'record'>;
  /** Gets the failed steps of the latest housekeeping. */
  readonly housekeepingFailures: Pick<StepFailures, 'errors'>;
  readonly view: PodView;
  readonly journal: JournalRecorder;
  /** Called with each transition of a pod. */
  podChangedState(transition: PodWorkerTransition): void;
  readonly files: NodeFiles;
  readonly node: Pick<CorePorts['node'], 'name' | 'rootDirectory'>;
  /** Default: static pods have no mirrors. */
  readonly mirrorPods?: MirrorPods | undefined;
}

/** Options of {@link createSyncLoop}. */
export interface SyncLoopOptions {
  /** Period of housekeeping. Default two seconds, as in the kubelet. */
  readonly housekeepingPeriodMs?: number | undefined;
  /** Period of the garbage collection of dead containers, old sandboxes and logs; the first one runs at once. Default one minute, as in the kubelet. */
  readonly garbageCollectionPeriodMs?: number | undefined;
}

/** Dispatches the updates of sources, the events of the runtime, probe results and the ticks of housekeeping. */
export interface SyncLoop extends AsyncDisposable {
  start(): void;
}

/** Creates the loop. It does nothing before {@link SyncLoop.start}. */
export function createSyncLoop(ports: SyncLoopPorts, options: SyncLoopOptions): SyncLoop {
  const { clock, logger, metrics, events, config, pleg, workers, statusManager, probes } = ports;
  const { runtimeManager, admissions, view, journal, node, mirrorPods } = ports;
  const { housekeepingPeriodMs = 2_000, garbageCollectionPeriodMs } = options;
  const lifetime = createLifetime();
  const hasSandbox = (uid: string): boolean => pleg.cache.get(uid).sandboxes.some(({ state }) => state === 'ready');
  const syncs = createPacedSyncs(
    clock,
    (uid) => workers.sync(uid),
    (uid) => workers.isFailing(uid) || !hasSandbox(uid),
    (uid, error) => logger.error('cannot request the sync of a pod', { podUid: uid, error: errorMessage(error) }),
  );
  lifetime.defer(() => syncs[Symbol.dispose]());
  const deadContainers = createDeadContainers({ logger, cache: pleg.cache, workers, runtimeManager });
  lifetime.defer(() => deadContainers[Symbol.asyncDispose]());
  const isRunning = (uid: string): boolean => mayRun(pleg.find(uid));
  const { activePods, allocations } = ports;
  const updates = createPodUpdates({
    clock,
    logger,
    events,
    config,
    pleg,
    workers,
    statusManager,
    admission: ports.admission,
    admissions,
    rejectPod: ports.rejectPod,
    view,
    journal,
    mirrorPods,
    otherPods: activePods.except,
    allocations,
    isRunning,
    requestSync: ports.requestSync,
    removeDeadContainers: deadContainers.removeAll,
  });
  lifetime.defer(() => updates[Symbol.asyncDispose]());
  const { addMissing } = updates;
  const housekeeping = createHousekeeping({
    logger,
    metrics,
    config,
    pleg,
    workers,
    mirrorPods,
    statusManager,
    view,
    journal,
    files: ports.files,
    node,
    housekeeping: ports.housekeeping,
    failures: ports.housekeepingFailures,
    addMissing,
    awaitsAdmission: admissions.awaitsAdmission,
  });
  lifetime.defer(() => housekeeping[Symbol.asyncDispose]());
  const garbageCollection = createGarbageCollection(
    { clock, logger, events, garbageCollection: ports.garbageCollection, node },
    { garbageCollectionPeriodMs },
  );
  lifetime.defer(() => garbageCollection[Symbol.asyncDispose]());

  const onUpdate = ({ op, pods }: PodUpdate): void => {
    for (const pod of pods) activePods.refresh(podUid(pod));
    for (const pod of op === 'ADD' ? inAdmissionOrder(pods, pleg.find) : pods) updates.handle(op, pod);
  };

  const onReadySources = (names: ReadonlySet<string>): void => {
    updates.setReadySources(names);
    if (config.sourcesReady()) housekeep();
    else for (const pod of config.pods()) addMissing(pod);
  };

  const onLifecycleEvent = (event: PodLifecycleEvent): void => {
    activePods.refresh(event.podUid);
    journalExit(journal, event, (uid) => pleg.cache.get(uid));
    // As in the kubelet: neither needs a sync.
    if (event.type === 'ContainerRemoved' || event.type === 'ContainerChanged') return;
    syncs.request(event.podUid);
    if (event.type === 'ContainerDied' && event.containerName !== undefined)
      deadContainers.containerDied(event.podUid, event.containerName);
  };

  /** Readiness and startup change the pod's status; a sync starts or restarts containers. A container that stays alive needs none. */
  const onProbeResult = ({ podUid, containerId, kind, result }: ProbeResultChange): void => {
    if (kind === 'readiness') statusManager.setContainerReadiness(podUid, containerId, result === 'success');
    if (kind === 'startup') statusManager.setContainerStartup(podUid, containerId, result === 'success');
    if (kind !== 'liveness' || result === 'failure') syncs.request(podUid);
  };

  const housekeep = (): void => {
    syncs.forgetQuiet();
    housekeeping.run();
    updates.forgetFinished();
  };

  /** Handles the values of a stream. A failure of a handler is logged and does not end the loop. */
  const handle = <T>(task: string, stream$: Observable<T>, next: (value: T) => void): void => {
    const subscription = follow(stream$, {
      task,
      logger,
      next(value) {
        ports.activity.record();
        next(value);
      },
    });
    lifetime.defer(() => subscription.unsubscribe());
  };

  return {
    start() {
      handle('handling pods of a source', config.updates$, onUpdate);
      handle('handling a source that is ready', config.readySources$, onReadySources);
      handle('handling an event of the runtime', pleg.events$, onLifecycleEvent);
      handle('handling the allocation of a pod', allocations?.allocations$ ?? EMPTY, activePods.refresh);
      handle('handling a transition of a pod', workers.transitions$, (transition) => {
        activePods.refresh(transition.uid);
        updates.podChangedState(transition);
        ports.podChangedState(transition);
      });
      handle('handling a probe result', probes.results$, onProbeResult);
      // One by one, so that a trigger that fails ends no other.
      for (const trigger$ of ports.syncTriggers) handle('handling a request for a sync', trigger$, syncs.request);
      handle('handling a changed mirror pod', mirrorPods?.changes$ ?? EMPTY, updates.mirrorChanged);
      handle('housekeeping', interval(housekeepingPeriodMs, clock.scheduler), housekeep);
      garbageCollection.start();
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
