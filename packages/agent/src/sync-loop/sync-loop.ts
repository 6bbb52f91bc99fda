import type { AdmissionHandler, CorePorts } from '@rxlet/agent-api';
import type { GarbageCollectionStep, HousekeepingStep } from '@rxlet/agent-api/housekeeping';
import type { PodProbes, ProbeResultChange } from '@rxlet/agent-api/containers';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { type Clock, createLifetime, type Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import type { Pleg, PodLifecycleEvent } from '@rxlet/pleg';
import type { PodConfig, PodUpdate } from '@rxlet/pod-config';
import type { PodWorkers } from '@rxlet/pod-workers';
import type { NodeFiles } from '@rxlet/node-files';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import type { StatusManager } from '@rxlet/status-manager';
import { EMPTY, interval, merge, type Observable } from 'rxjs';
import { createGarbageCollection } from '../housekeeping/garbage-collection.ts';
import { createHousekeeping } from '../housekeeping/housekeeping.ts';
import type { PodView } from '../outputs/pod-view.ts';
import { createDeadContainers } from './dead-containers.ts';
import { createPacedSyncs } from './paced-syncs.ts';
import { createPodUpdates } from './pod-updates.ts';

/** Ports of {@link createSyncLoop}. */
export interface SyncLoopPorts {
  readonly admission: readonly AdmissionHandler[];
  /** UIDs of pods that need a sync now. */
  readonly syncTriggers: readonly Observable<string>[];
  readonly housekeeping: readonly HousekeepingStep[];
  readonly garbageCollection: readonly GarbageCollectionStep[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'updates$' | 'readySources$' | 'sourcesReady' | 'pods' | 'find' | 'isInvalid'>;
  readonly pleg: Pick<Pleg, 'events$' | 'cache' | 'pods'>;
  readonly workers: PodWorkers;
  readonly runtimeManager: Pick<RuntimeManager, 'trimDeadContainers'>;
  readonly statusManager: Pick<
    StatusManager,
    | 'previousStatus'
    | 'setPodStatus'
    | 'setContainerReadiness'
    | 'setContainerStartup'
    | 'forget'
    | 'removeOrphaned'
    | 'get'
    | 'republish'
  >;
  readonly probes: Pick<PodProbes, 'results$'>;
  readonly view: PodView;
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
  /** Requests a sync of a pod for a cause that neither its source nor the runtime reports. Requests of one pod in a burst are merged and paced. */
  requestSync(podUid: string): void;
  /** Reports whether a desired pod waits to be added. It may run already, since a restart of the agent. */
  awaitsAdmission(podUid: string): boolean;
  /** Returns the number of pods that wait for their admission. */
  awaitingAdmission(): number;
  /** Returns the problem of the loop; `undefined` while it runs. */
  problem(): string | undefined;
  /** Returns the failed steps of the latest housekeeping with their errors; `undefined` when all succeeded. */
  housekeepingProblem(): string | undefined;
}

/** Age of the last event after which the loop counts as stuck, as in the kubelet's /healthz/syncloop. */
const STUCK_AFTER_MS = 300_000;

/** Creates the loop. It does nothing before {@link SyncLoop.start}. */
export function createSyncLoop(ports: SyncLoopPorts, options: SyncLoopOptions): SyncLoop {
  const { clock, logger, config, pleg, workers, statusManager, probes, node } = ports;
  const { housekeepingPeriodMs = 2_000 } = options;
  const lifetime = createLifetime();
  const hasSandbox = (uid: string): boolean => pleg.cache.get(uid).sandboxes.some(({ state }) => state === 'ready');
  const syncs = createPacedSyncs(
    clock,
    (uid) => workers.sync(uid),
    (uid) => workers.isFailing(uid) || !hasSandbox(uid),
  );
  lifetime.defer(() => syncs[Symbol.dispose]());
  const deadContainers = createDeadContainers({ ...ports, cache: pleg.cache });
  lifetime.defer(() => deadContainers[Symbol.asyncDispose]());
  const updates = createPodUpdates({
    ...ports,
    requestSync: syncs.request,
    removeDeadContainers: deadContainers.removeAll,
  });
  lifetime.defer(() => updates[Symbol.asyncDispose]());
  const { addMissing, awaitsAdmission } = updates;
  const housekeeping = createHousekeeping({ ...ports, rootDirectory: node.rootDirectory, addMissing, awaitsAdmission });
  lifetime.defer(() => housekeeping[Symbol.asyncDispose]());
  const garbageCollection = createGarbageCollection(ports, options);
  lifetime.defer(() => garbageCollection[Symbol.asyncDispose]());
  let lastActiveMs: number | undefined;

  const onUpdate = ({ op, pods }: PodUpdate): void => {
    for (const pod of op === 'ADD' ? byCreation(pods) : pods) updates.handle(op, pod);
  };

  const onReadySources = (names: ReadonlySet<string>): void => {
    updates.setReadySources(names);
    if (config.sourcesReady()) housekeep();
    else for (const pod of config.pods()) addMissing(pod);
  };

  const onLifecycleEvent = (event: PodLifecycleEvent): void => {
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
        lastActiveMs = clock.monotonicNow();
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
      handle('handling a transition of a pod', workers.transitions$, updates.podChangedState);
      handle('handling a probe result', probes.results$, onProbeResult);
      handle('handling a request of a module for a sync', merge(...ports.syncTriggers), syncs.request);
      handle('handling a changed mirror pod', ports.mirrorPods?.changes$ ?? EMPTY, updates.mirrorChanged);
      handle('housekeeping', interval(housekeepingPeriodMs, clock.scheduler), housekeep);
      garbageCollection.start();
    },
    requestSync: syncs.request,
    awaitsAdmission,
    awaitingAdmission: updates.awaitingAdmission,
    problem() {
      if (lastActiveMs === undefined) return 'the sync loop has not begun';
      return clock.monotonicNow() - lastActiveMs > STUCK_AFTER_MS ? 'sync Loop took longer than expected' : undefined;
    },
    housekeepingProblem: housekeeping.problem,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Sorts pods oldest first, so that they win scarce resources. Pods without a creation time come first, in their order. */
function byCreation(pods: readonly Pod[]): readonly Pod[] {
  const createdMs = ({ metadata }: Pod): number => Date.parse(metadata?.creationTimestamp ?? '') || 0;
  return pods.toSorted((a, b) => createdMs(a) - createdMs(b));
}
