import { type Clock, createLifetime, errorMessage, type EventRecorder, type Logger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod, podEventObject, podQosClass, type RuntimePod } from '@rxlet/pod-model';
import type { Pleg, PodLifecycleEvent } from '@rxlet/pleg';
import type { PodConfig, PodUpdate } from '@rxlet/pod-source';
import { type PodWorkers, shouldContentBeRemoved } from '@rxlet/pod-workers';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import type { StatusManager } from '@rxlet/status-manager';
import { exhaustMap, interval, map, merge, type Observable } from 'rxjs';
import { type AdmissionHandler, admitPod } from './admission.ts';
import type { PodView } from './pod-view.ts';

/** What the loop joins. */
export interface SyncLoopPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'updates$' | 'sourcesReady' | 'pods'>;
  readonly pleg: Pick<Pleg, 'events$' | 'cache' | 'pods'>;
  readonly workers: PodWorkers;
  readonly runtimeManager: Pick<RuntimeManager, 'trimDeadContainers' | 'collectGarbage'>;
  readonly statusManager: Pick<StatusManager, 'setPodStatus' | 'removeOrphaned'>;
  readonly admission: readonly AdmissionHandler[];
  readonly view: PodView;
}

/** Options of {@link createSyncLoop}. */
export interface SyncLoopOptions {
  /** How often what should not be there is looked for. Default two seconds, as the kubelet's. */
  readonly housekeepingPeriodMs?: number;
  /** How often dead containers, old sandboxes and logs are collected. Default one minute, as the kubelet's. */
  readonly garbageCollectionPeriodMs?: number;
}

/** The heart of the agent: tells the workers what to do, from what the sources want, what the runtime did, and what time it is. */
export interface SyncLoop extends AsyncDisposable {
  start(): void;
  /** What is wrong with the loop; `undefined` while it goes round. */
  problem(): string | undefined;
}

/** A loop that has not gone round for this long hangs, as in the kubelet's /healthz/syncloop. */
const STUCK_AFTER_MS = 300_000;

/** Creates the loop. Nothing happens before {@link SyncLoop.start}. */
export function createSyncLoop(ports: SyncLoopPorts, options: SyncLoopOptions = {}): SyncLoop {
  const { clock, logger, events, config, pleg, workers, runtimeManager, statusManager, admission, view } = ports;
  const { housekeepingPeriodMs = 2_000, garbageCollectionPeriodMs = 60_000 } = options;
  const lifetime = createLifetime();
  let lastActiveMs: number | undefined;

  const onUpdate = ({ op, pods }: PodUpdate): void => {
    for (const pod of pods) {
      switch (op) {
        case 'ADD':
          addPod(pod);
          break;
        case 'UPDATE':
        case 'DELETE':
        case 'RECONCILE':
          view.put(pod);
          if (workers.state(uidOf(pod)) !== undefined) workers.update(pod);
          break;
        case 'REMOVE':
          removePod(pod);
      }
    }
  };

  const addPod = (pod: Pod): void => {
    view.put(pod);
    const refusal = admitPod(admission, pod, admittedPods());
    if (refusal !== undefined) {
      events.event(podEventObject(pod), 'Warning', refusal.reason, refusal.message);
      const message = `Pod was rejected: ${refusal.message}`;
      statusManager.setPodStatus(pod, { phase: 'Failed', reason: refusal.reason, message, qosClass: podQosClass(pod) });
      return;
    }
    if (isStaticPod(pod))
      pleg
        .pods()
        .filter((held) => isPredecessor(held, pod))
        .forEach(workers.terminateRuntimePod);
    workers.add(pod);
  };

  /** Whether the runtime still holds an earlier version of a static pod, of which nobody knows since a restart: the new one has to wait for its end. */
  const isPredecessor = (held: RuntimePod, pod: Pod): boolean =>
    held.uid !== uidOf(pod) &&
    held.name === pod.metadata?.name &&
    held.namespace === pod.metadata.namespace &&
    workers.state(held.uid) === undefined;

  const admittedPods = (): readonly Pod[] => config.pods().filter((pod) => workers.state(uidOf(pod)) !== undefined);

  const removePod = (pod: Pod): void => {
    const uid = uidOf(pod);
    view.markDeleted(uid);
    if (workers.state(uid) === undefined) view.remove(uid);
    else void workers.terminate(uid, { reason: 'deleted' });
  };

  const onLifecycleEvent = (event: PodLifecycleEvent): void => {
    if (event.type === 'ContainerRemoved') return;
    workers.sync(event.podUid);
    if (event.type !== 'ContainerDied' || event.containerName === undefined) return;
    const state = workers.state(event.podUid);
    const removeAll = state !== undefined && shouldContentBeRemoved(state);
    // The terminated step removes all there is; only a pod that lives on has to be kept from filling the disk.
    if (state?.kind !== 'syncing' && !removeAll) return;
    const status = pleg.cache.get(event.podUid);
    inBackground(
      'removing dead containers',
      runtimeManager.trimDeadContainers(status, event.containerName, { removeAll, signal: lifetime.signal }),
    );
  };

  /** Ends what should not be there: pods that no source has, and what the runtime holds of pods nobody knows. */
  const housekeep = (): void => {
    if (!config.sourcesReady()) return;
    const desired = new Set(config.pods().map(uidOf));
    workers.retain(desired);
    for (const held of pleg.pods()) if (workers.state(held.uid) === undefined) workers.terminateRuntimePod(held);
    for (const { metadata } of view.list()) {
      const uid = metadata?.uid ?? '';
      if (!desired.has(uid) && workers.state(uid) === undefined) view.remove(uid);
    }
    statusManager.removeOrphaned(new Set([...desired, ...workers.states().keys()]));
  };

  const collectGarbage = async (): Promise<void> => {
    await runtimeManager.collectGarbage({
      signal: lifetime.signal,
      allSourcesReady: config.sourcesReady(),
      shouldContentBeRemoved: (uid) => {
        const state = workers.state(uid);
        return state === undefined || shouldContentBeRemoved(state);
      },
    });
  };

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
  const every = (periodMs: number): Observable<number> => interval(periodMs, clock.scheduler);

  return {
    start() {
      const subscription = merge(
        config.updates$.pipe(map(guarded('handling pods of a source', onUpdate))),
        pleg.events$.pipe(map(guarded('handling an event of the runtime', onLifecycleEvent))),
        every(housekeepingPeriodMs).pipe(map(guarded('housekeeping', housekeep))),
        every(garbageCollectionPeriodMs).pipe(
          exhaustMap(() =>
            lifetime
              .track(collectGarbage())
              .catch((error: unknown) => logger.error('garbage collection failed', { error: errorMessage(error) })),
          ),
        ),
      ).subscribe();
      lifetime.defer(() => subscription.unsubscribe());
    },
    problem() {
      if (lastActiveMs === undefined) return 'the sync loop has not begun';
      return clock.monotonicNow() - lastActiveMs > STUCK_AFTER_MS ? 'sync Loop took longer than expected' : undefined;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
