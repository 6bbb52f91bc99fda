import { type Clock, createLifetime, type Logger, noopLogger } from '@rxlet/component-base';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { formatPod, isStaticPod } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import { findCondition, withCondition } from './condition-types.ts';
import { illegalTransition } from './container-transitions.ts';
import { normalizeStatus } from './normalize-status.ts';
import { createOrderedSubject } from './ordered-subject.ts';
import { containersReadyCondition, readyCondition } from './pod-conditions.ts';
import { sameStatus } from './status-equality.ts';
import { withHistory } from './status-history.ts';
import { createStatusPublisher, type StatusPublisherOptions } from './status-publisher.ts';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';
import { terminatedPodStatus } from './terminated-status.ts';

/** What a {@link StatusManager} works with. */
export interface StatusManagerPorts {
  readonly clock: Clock;
  /** Where statuses are published. Without one they are only held here, for {@link StatusManager.list} and {@link StatusManager.status$}. */
  readonly sink?: StatusSink | undefined;
  /**
   * The status last published of a pod that the manager does not hold yet: that of its mirror pod, or of a checkpoint. It stands in for the pod's
   * own, so that start and transition times survive a restart of the agent.
   */
  readonly publishedStatus?: ((pod: Pod) => PodStatus | undefined) | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusManager}. */
export type StatusManagerOptions = StatusPublisherOptions;

/**
 * Holds the status of every pod on the node, as the world is to see it. Whoever learns something of a pod sets it here; the manager merges it with
 * what was said before, and publishes what changed. It does nothing of its own accord, and there is nothing to start.
 *
 * Disposing it completes {@link status$}, lets calls of the sink that are under way come to their end, and makes later changes ineffective.
 */
export interface StatusManager extends AsyncDisposable {
  /**
   * Takes a generated status (see `generatePodStatus`). Start time and transition times are kept from what was known, and the whole is normalized.
   * A status that says nothing new makes no new version (what others own of it is taken over all the same), and one that brings a container back that had ended for good is refused and logged.
   *
   * @returns whether the pod has a new version
   */
  setPodStatus(pod: Pod, status: PodStatus): boolean;
  /** Sets whether a container is ready, and the pod with it. Ignored for a container that is not (any more) in the pod's status. */
  setContainerReadiness(podUid: string, containerId: string, ready: boolean): void;
  /** Sets whether a container has started. Ignored for a container that is not (any more) in the pod's status. */
  setContainerStartup(podUid: string, containerId: string, started: boolean): void;
  /** Says, ahead of the next generated status, that the pod's sandbox and network are there. */
  setReadyToStartContainers(podUid: string): void;
  /**
   * Says that the node is done with a pod: containers whose end nobody saw count as failed, the phase becomes terminal (save for a static pod), and
   * the update is marked `finished`.
   */
  terminatePod(pod: Pod): void;
  /** Forgets all pods but those. */
  removeOrphaned(knownPodUids: ReadonlySet<string>): void;
  /** Forgets a pod; what was not published of it never will be. */
  forget(podUid: string): void;
  /** The pod's status, or undefined when none was set. */
  get(podUid: string): PodStatus | undefined;
  /** The latest update of every pod. Together with a subscription made before, it gives a complete picture. */
  list(): readonly PodStatusUpdate[];
  /** Every new version of every pod's status. Hot, without replay: {@link list} gives what was before. */
  readonly status$: Observable<PodStatusUpdate>;
  /** The last update of every pod that is forgotten. Hot, without replay. */
  readonly forgotten$: Observable<PodStatusUpdate>;
}

/** Creates a {@link StatusManager}. */
export function createStatusManager(ports: StatusManagerPorts, options: StatusManagerOptions = {}): StatusManager {
  const { clock, sink, publishedStatus, logger = noopLogger } = ports;
  const lifetime = createLifetime();
  const updates = new Map<string, PodStatusUpdate>();
  const changed = createOrderedSubject<PodStatusUpdate>();
  const forgotten = createOrderedSubject<PodStatusUpdate>();
  const publisher = sink === undefined ? undefined : createStatusPublisher({ clock, sink, logger }, options);
  let lastVersion = 0;
  lifetime.defer(() => {
    changed.complete();
    forgotten.complete();
  });
  lifetime.defer(async () => {
    await publisher?.[Symbol.asyncDispose]();
  });

  const statusBefore = (pod: Pod): PodStatus =>
    updates.get(uidOf(pod))?.status ?? publishedStatus?.(pod) ?? pod.status ?? {};

  const update = (pod: Pod, next: PodStatus, ends: boolean): boolean => {
    if (lifetime.signal.aborted) return false;
    const held = updates.get(uidOf(pod));
    const before = statusBefore(pod);
    const problem = illegalTransition(pod, before, next);
    if (problem !== undefined) {
      logger.error('status refused', { pod: formatPod(pod), problem });
      return false;
    }
    // A static pod may come back under its UID; any other that ended has ended.
    const finished = ends || (held?.finished === true && !isStaticPod(pod));
    const status = normalizeStatus(pod, withHistory(next, before, clock.now()));
    if (held !== undefined && held.finished === finished && isDeleting(held.pod) === isDeleting(pod)) {
      if (sameStatus(held.status, status)) {
        // What others own of it may still have changed, and decides over readiness gates.
        updates.set(uidOf(pod), { ...held, pod, status });
        return false;
      }
    }
    lastVersion += 1;
    const newest: PodStatusUpdate = { pod, status, version: lastVersion, finished };
    updates.set(uidOf(pod), newest);
    publisher?.submit(newest);
    changed.next(newest);
    return true;
  };

  /** Changes one container of the status that is held of a pod, if it is there. */
  const updateContainer = (
    podUid: string,
    containerId: string,
    change: (container: ContainerStatus) => ContainerStatus,
    conclude: (pod: Pod, status: PodStatus) => PodStatus = (_pod, status) => status,
  ): void => {
    const held = updates.get(podUid);
    if (held === undefined) return;
    const changeList = (list: readonly ContainerStatus[] | undefined): readonly ContainerStatus[] | undefined =>
      list?.map((container) => (container.containerID === containerId ? change(container) : container));
    const { initContainerStatuses, containerStatuses, ...rest } = held.status;
    const [init, regular] = [changeList(initContainerStatuses), changeList(containerStatuses)];
    const status = {
      ...rest,
      ...(init !== undefined && { initContainerStatuses: init }),
      ...(regular !== undefined && { containerStatuses: regular }),
    };
    if (!sameStatus(held.status, status)) update(held.pod, conclude(held.pod, status), false);
  };

  const forget = (podUid: string): void => {
    const held = updates.get(podUid);
    if (held === undefined) return;
    updates.delete(podUid);
    publisher?.forget(podUid);
    forgotten.next(held);
  };

  return {
    setPodStatus: (pod, status) => update(pod, observedBy(pod, status), false),
    setContainerReadiness(podUid, containerId, ready) {
      updateContainer(podUid, containerId, (container) => ({ ...container, ready }), withReadiness);
    },
    setContainerStartup(podUid, containerId, started) {
      updateContainer(podUid, containerId, (container) => ({ ...container, started }));
    },
    setReadyToStartContainers(podUid) {
      const held = updates.get(podUid);
      if (held === undefined) return;
      const type = 'PodReadyToStartContainers';
      const condition = { ...findCondition(held.status.conditions, type), type, status: 'True' };
      update(held.pod, { ...held.status, conditions: withCondition(held.status.conditions, condition) }, false);
    },
    terminatePod: (pod) => void update(pod, terminatedPodStatus(pod, statusBefore(pod)), true),
    removeOrphaned(knownPodUids) {
      for (const podUid of [...updates.keys()]) if (!knownPodUids.has(podUid)) forget(podUid);
    },
    forget,
    get: (podUid) => updates.get(podUid)?.status,
    list: () => [...updates.values()],
    status$: changed.values$,
    forgotten$: forgotten.values$,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

function isDeleting(pod: Pod): boolean {
  return pod.metadata?.deletionTimestamp !== undefined;
}

/** The status as one of the pod's present generation (KEP-5067). */
function observedBy(pod: Pod, status: PodStatus): PodStatus {
  const observedGeneration = pod.metadata?.generation;
  return observedGeneration === undefined || observedGeneration === 0 ? status : { ...status, observedGeneration };
}

/** The status with what follows for the pod from the readiness of its containers. */
function withReadiness(pod: Pod, status: PodStatus): PodStatus {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const input = { pod, statuses, phase: status.phase };
  const ready = withCondition(status.conditions, readyCondition(input, status.conditions));
  return { ...status, conditions: withCondition(ready, containersReadyCondition(input)) };
}
