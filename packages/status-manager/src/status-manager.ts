import { type Clock, createLifetime, type Logger, type Metrics, noopLogger, noopMetrics } from '@rxlet/component-base';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { formatPod, isStaticPod } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import { withoutReadiness } from './api/merge-pod-status.ts';
import type { StatusCheckpoint } from './checkpoint/status-checkpoint.ts';
import { withCondition } from './condition-types.ts';
import { illegalTransition } from './container-transitions.ts';
import { normalizeStatus } from './normalize-status.ts';
import { createOrderedSubject } from './ordered-subject.ts';
import { condition, containersReadyCondition, readyCondition } from './pod-conditions.ts';
import { sameStatus } from './status-equality.ts';
import { withHistory } from './status-history.ts';
import { createStatusPublisher, type StatusPublisherOptions } from './status-publisher.ts';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';
import { createTerminatedContainersCounter } from './terminated-containers.ts';
import { terminatedPodStatus } from './terminated-status.ts';
import { createToldStatuses } from './told-statuses.ts';

/** What a {@link StatusManager} works with. */
export interface StatusManagerPorts {
  readonly clock: Clock;
  /** Where statuses are published. Without one they are only held here, for {@link StatusManager.list} and {@link StatusManager.status$}. */
  readonly sink?: StatusSink | undefined;
  /** Keeps statuses over a restart of the agent, where no API does. It has to be loaded before the first status is set. */
  readonly checkpoint?: Pick<StatusCheckpoint, 'restored' | 'record' | 'forget' | 'retain'> | undefined;
  /**
   * The status last published of a pod that the manager does not hold yet, where neither a checkpoint nor the pod itself has it. So readiness, start
   * and transition times survive a restart of the agent.
   */
  readonly publishedStatus?: ((pod: Pod) => PodStatus | undefined) | undefined;
  /**
   * The mirror pod of a static pod in the API. With this port, static pods are reported to the sink through their mirror pods, and not at all while
   * they have none. That one was made is seen with the next status, or at once with {@link StatusManager.republish}.
   */
  readonly mirrorPod?: ((pod: Pod) => Pod | undefined) | undefined;
  /** Whether a container of the pod may be running: then the sink is not told yet that the pod has ended. Default: never. */
  readonly couldHaveRunningContainers?: ((podUid: string) => boolean) | undefined;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusManager}. */
export type StatusManagerOptions = StatusPublisherOptions;

/**
 * Holds the status of every pod on the node, as the world is to see it. Whoever learns something of a pod sets it here; the manager merges it with
 * what was said before, and publishes what changed. It does nothing of its own accord, and there is nothing to start.
 *
 * Disposing it publishes what is not published yet (for `flushTimeoutMs` at most), completes the streams, and makes later changes ineffective.
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
  /** Publishes a pod's status once more: what the sink has is not what it was given, see `needsReconcile`. */
  republish(podUid: string): void;
  /** Forgets all pods but those. */
  removeOrphaned(knownPodUids: ReadonlySet<string>): void;
  /** Forgets a pod; what was not published of it never will be. */
  forget(podUid: string): void;
  /** The pod's status, or undefined when none was set. */
  get(podUid: string): PodStatus | undefined;
  /**
   * The status that the next one goes on from (`previous` of `generatePodStatus`): what is held, or else what was published before a restart of the
   * agent, or else what came with the pod.
   */
  previousStatus(pod: Pod): PodStatus;
  /** The latest update of every pod. Together with a subscription made before, it gives a complete picture. */
  list(): readonly PodStatusUpdate[];
  /** Every new version of every pod's status. Hot, without replay: {@link list} gives what was before. */
  readonly status$: Observable<PodStatusUpdate>;
  /** What the sink has taken, as it was given: an end that has to wait is not in it. Hot, without replay. */
  readonly published$: Observable<PodStatusUpdate>;
  /** The last update of every pod that is forgotten. Hot, without replay. */
  readonly forgotten$: Observable<PodStatusUpdate>;
}

/** Creates a {@link StatusManager}. */
export function createStatusManager(ports: StatusManagerPorts, options: StatusManagerOptions = {}): StatusManager {
  const { clock, sink, checkpoint, publishedStatus, mirrorPod, logger = noopLogger, metrics = noopMetrics } = ports;
  const { couldHaveRunningContainers = () => false } = ports;
  const lifetime = createLifetime();
  const updates = new Map<string, PodStatusUpdate>();
  const told = createToldStatuses({ clock, mirrorPod, couldHaveRunningContainers });
  const changed = createOrderedSubject<PodStatusUpdate>();
  const published = createOrderedSubject<PodStatusUpdate>();
  const forgotten = createOrderedSubject<PodStatusUpdate>();
  const countTerminated = createTerminatedContainersCounter(metrics);
  const syncDuration = metrics.histogram({
    name: 'kubelet_pod_status_sync_duration_seconds',
    help: 'Time from the first change of a pod that is not published yet to its publication.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  let lastVersion = 0;

  /** What was known of a pod before anything was set. */
  const initialStatus = (pod: Pod): PodStatus =>
    checkpoint?.restored(uidOf(pod)) ?? publishedStatus?.(pod) ?? mirrorPod?.(pod)?.status ?? pod.status ?? {};
  const previousStatus = (pod: Pod): PodStatus => updates.get(uidOf(pod))?.status ?? initialStatus(pod);

  /** Tells the sink of a pod what it may know by now. */
  const toSink = (target: StatusSink): StatusSink => ({
    async publish(update, signal) {
      const shown = await told.tell(target, update, signal);
      if (shown !== undefined) published.next(shown);
    },
  });
  const onPublished = (_update: PodStatusUpdate, waitedMs: number): void => syncDuration.observe(waitedMs / 1000);
  const publisher = sink && createStatusPublisher({ clock, sink: toSink(sink), onPublished, logger }, options);
  lifetime.defer(() => {
    changed.complete();
    published.complete();
    forgotten.complete();
  });
  lifetime.defer(async () => {
    await publisher?.[Symbol.asyncDispose]();
  });
  const submit = (update: PodStatusUpdate): void => {
    const due = told.due(update);
    if (due !== undefined) publisher?.submit(update, due === 'now');
  };

  const update = (pod: Pod, next: PodStatus, ends: boolean): boolean => {
    if (lifetime.signal.aborted) return false;
    const held = updates.get(uidOf(pod));
    const before = previousStatus(pod);
    const problem = illegalTransition(pod, before, next);
    if (problem !== undefined) {
      logger.error('status refused', { pod: formatPod(pod), problem });
      return false;
    }
    // A static pod may come back under its UID; any other that ended has ended.
    const finished = ends || (held?.finished === true && !isStaticPod(pod));
    const dated = withHistory(next, before, clock.now());
    const status = normalizeStatus(pod, withoutReadiness(pod, dated, clock.now()));
    const isSame = held?.finished === finished && isDeleting(held.pod) === isDeleting(pod);
    if (isSame && sameStatus(held.status, status)) {
      // What others own of it may still have changed, and decides over readiness gates.
      const same = { ...held, pod, status };
      updates.set(uidOf(pod), same);
      if (told.isOwed(pod)) submit(same);
      return false;
    }
    lastVersion += 1;
    const newest: PodStatusUpdate = { pod, status, version: lastVersion, finished };
    if (held === undefined) told.begin(pod, before);
    countTerminated(before, status);
    updates.set(uidOf(pod), newest);
    checkpoint?.record(newest);
    submit(newest);
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
    checkpoint?.forget(podUid);
    const held = updates.get(podUid);
    if (held === undefined) return;
    updates.delete(podUid);
    told.forget(podUid);
    publisher?.forget(podUid);
    forgotten.next(held);
  };

  return {
    setPodStatus: (pod, status) => update(pod, observedBy(pod, status), false),
    setContainerReadiness(podUid, containerId, ready) {
      updateContainer(
        podUid,
        containerId,
        (container) => ({ ...container, ready: ready && runs(container) }),
        withReadiness,
      );
    },
    setContainerStartup(podUid, containerId, started) {
      updateContainer(podUid, containerId, (container) => ({ ...container, started: started && runs(container) }));
    },
    setReadyToStartContainers(podUid) {
      const held = updates.get(podUid);
      if (held === undefined) return;
      const there = condition(held.pod, 'PodReadyToStartContainers', true);
      update(held.pod, { ...held.status, conditions: withCondition(held.status.conditions, there) }, false);
    },
    terminatePod: (pod) => void update(pod, terminatedPodStatus(pod, previousStatus(pod)), true),
    republish(podUid) {
      const held = updates.get(podUid);
      if (held !== undefined && !lifetime.signal.aborted) submit(held);
    },
    removeOrphaned(knownPodUids) {
      checkpoint?.retain(knownPodUids);
      for (const podUid of [...updates.keys()]) if (!knownPodUids.has(podUid)) forget(podUid);
    },
    forget,
    get: (podUid) => updates.get(podUid)?.status,
    previousStatus,
    list: () => [...updates.values()],
    status$: changed.values$,
    published$: published.values$,
    forgotten$: forgotten.values$,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

/** A result that comes late must not make an ended container ready. */
function runs({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
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
