import type { MirrorPods, PodStatusUpdate, StatusRestorer, StatusSink } from '@rxlet/agent-api/statuses';
import { type Clock, createLifetime, type Logger, noopLogger } from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createEmitter } from '@rxlet/component-base/streams';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { formatPod, isStaticPod, podUid } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import { withoutReadiness } from './api/merge-pod-status.ts';
import { withCondition } from './condition-types.ts';
import { illegalTransition } from './container-transitions.ts';
import { normalizeStatus } from './normalize-status.ts';
import { durableStatus } from './durable-status.ts';
import { condition, containersReadyCondition, readyCondition } from './pod-conditions.ts';
import { sameStatus } from './status-equality.ts';
import { withHistory } from './status-history.ts';
import { createStatusDelivery, type StatusDelivery } from './status-delivery.ts';
import type { StatusPublisherOptions } from './status-publisher.ts';
import { createTerminatedContainersCounter } from './terminated-containers.ts';
import { terminatedPodStatus } from './terminated-status.ts';

/** Ports of a {@link StatusManager}. */
export interface StatusManagerPorts {
  readonly clock: Clock;
  /** Sinks of statuses. Each gets all statuses at its own pace: a sink that fails or hangs delays no other. Read with the first status, so that sinks can be added before. */
  readonly sinks?: readonly StatusSink[] | undefined;
  /** Source of statuses of an earlier run of the agent. It must be loaded before the first status is set. */
  readonly restorer?: Pick<StatusRestorer, 'restored' | 'record' | 'forget' | 'retain'> | undefined;
  /**
   * Returns the mirror pod of a static pod, for sinks that need mirror pods. A new mirror pod gets its status with the next status of the pod, or at once with
   * {@link StatusManager.republish}.
   */
  readonly mirrorPod?: MirrorPods['mirrorOf'];
  /** Reports whether a container of the pod may be running. Sinks do not get a terminal phase until then. Default: never. */
  readonly couldHaveRunningContainers?: ((podUid: string) => boolean) | undefined;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusManager}. */
export type StatusManagerOptions = StatusPublisherOptions;

/**
 * Holds the status of every pod on the node, adds the history to each new status, and publishes changes.
 *
 * Disposal publishes the remaining changes (for at most `flushTimeoutMs`) and completes the streams. Later changes are ignored.
 */
export interface StatusManager extends AsyncDisposable {
  /**
   * Sets a generated status (see `generatePodStatus`), normalized and with start time and transition times. An equal status makes no new version. A status that
   * restarts a container after its final termination is rejected and logged.
   *
   * @returns whether the pod has a new version
   */
  setPodStatus(pod: Pod, status: PodStatus): boolean;
  /** Sets whether a container is ready, and the pod with it. Ignored for a container that is not in the pod's status. */
  setContainerReadiness(podUid: string, containerId: string, ready: boolean): void;
  /** Sets whether a container has started. Ignored for a container that is not in the pod's status. */
  setContainerStartup(podUid: string, containerId: string, started: boolean): void;
  /** Sets the condition `PodReadyToStartContainers` ahead of the next generated status: the pod's sandbox and network are ready. */
  setReadyToStartContainers(podUid: string): void;
  /** Marks a pod as `finished`: the node has cleaned it up. Containers with an unknown end count as failed, and the phase becomes terminal unless the pod is static. */
  terminatePod(pod: Pod): void;
  /** Publishes the status of a pod again, because a sink has another one; see `needsReconcile`. */
  republish(podUid: string): void;
  /** Reports whether every sink has the latest status of a pod. */
  isPublished(podUid: string): boolean;
  /** Forgets all other pods. */
  removeOrphaned(knownPodUids: ReadonlySet<string>): void;
  /** Forgets a pod. Its unpublished changes are dropped. A static pod of the UID that comes back does not continue from its mirror pod. */
  forget(podUid: string): void;
  /** Forgets the status of an earlier incarnation of a static pod, also the one in its mirror pod: the next status continues from none. */
  startAnew(pod: Pod): void;
  /** Returns the status of a pod; `undefined` when none was set. */
  get(podUid: string): PodStatus | undefined;
  /**
   * Returns the status that the next one continues from (`previous` of `generatePodStatus`): the current one; otherwise that of the restorer, of the mirror pod, or
   * of the pod itself.
   */
  previousStatus(pod: Pod): PodStatus;
  /** Returns the latest update of every pod. Together with a subscription made in the same turn, it gives a complete picture. */
  list(): readonly PodStatusUpdate[];
  /** Every new version of every pod's status. Hot, without replay. */
  readonly status$: Observable<PodStatusUpdate>;
  /**
   * Published updates as the sink got them, without a withheld terminal phase. Each sink emits its own; the first of a version is the earliest publication. Hot,
   * without replay.
   */
  readonly published$: Observable<PodStatusUpdate>;
  /** Last update of every forgotten pod. Hot, without replay. */
  readonly forgotten$: Observable<PodStatusUpdate>;
}

/**
 * Creates a {@link StatusManager}.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createStatusManager } from '@rxlet/status-manager';
 * import { createFakeStatusSink } from '@rxlet/status-manager/testing';
 *
 * await using manager = createStatusManager({ clock: systemClock, sinks: [createFakeStatusSink(systemClock)] });
 * const pod = { metadata: { name: 'web', uid: '1' }, spec: { containers: [{ name: 'main' }] } };
 * manager.setPodStatus(pod, { phase: 'Pending' });
 * ```
 */
export function createStatusManager(ports: StatusManagerPorts, options: StatusManagerOptions = {}): StatusManager {
  const { clock, sinks = [], restorer, mirrorPod, logger = noopLogger, metrics = noopMetrics } = ports;
  const { couldHaveRunningContainers = () => false } = ports;
  const lifetime = createLifetime();
  const updates = new Map<string, PodStatusUpdate>();
  const changed = createEmitter<PodStatusUpdate>();
  const published = createEmitter<PodStatusUpdate>();
  const forgotten = createEmitter<PodStatusUpdate>();
  const countTerminated = createTerminatedContainersCounter(metrics);
  const syncDuration = metrics.histogram({
    name: 'kubelet_pod_status_sync_duration_seconds',
    help: '[ALPHA] Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intevening changes to pod status occur.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  const changedStatuses = metrics.counter({
    name: 'rxlet_pod_status_changes_total',
    help: 'Number of changes of pod statuses in the agent, each of which the status sinks get.',
  });
  let lastVersion = 0;

  /** Returns what a static pod starts from after a restart of the agent. */
  const statusOfMirror = (pod: Pod): PodStatus | undefined => {
    const status = mirrorPod?.(pod)?.status;
    return status && durableStatus(status);
  };
  /** Static pods that this agent has forgotten, by UID. Their mirror pods may still show the earlier incarnation. */
  const anew = new Map<string, Pod>();
  const initialStatus = (pod: Pod): PodStatus =>
    (anew.has(podUid(pod)) ? undefined : (restorer?.restored(podUid(pod)) ?? statusOfMirror(pod))) ?? pod.status ?? {};
  const previousStatus = (pod: Pod): PodStatus => updates.get(podUid(pod))?.status ?? initialStatus(pod);

  const onPublished = (update: PodStatusUpdate, waitedMs: number): void => {
    syncDuration.observe(waitedMs / 1000);
    published.emit(update);
  };
  let created: readonly StatusDelivery[] | undefined;
  const deliveries = (): readonly StatusDelivery[] =>
    (created ??= sinks.map((sink) =>
      createStatusDelivery({ clock, sink, mirrorPod, couldHaveRunningContainers, onPublished, logger }, options),
    ));
  lifetime.defer(() => {
    changed.complete();
    published.complete();
    forgotten.complete();
  });
  lifetime.defer(async () => {
    await Promise.all((created ?? []).map((delivery) => delivery[Symbol.asyncDispose]()));
  });

  const update = (pod: Pod, next: PodStatus, ends: boolean): boolean => {
    if (lifetime.signal.aborted) return false;
    const current = updates.get(podUid(pod));
    const before = previousStatus(pod);
    const problem = illegalTransition(pod, before, next);
    if (problem !== undefined) {
      logger.error('cannot set a pod status', { pod: formatPod(pod), error: problem });
      return false;
    }
    // A static pod may restart under its UID; the end of any other is final.
    const finished = ends || (current?.finished === true && !isStaticPod(pod));
    const dated = withHistory(next, before, clock.now());
    // As in the API, a pod that is evicted stays ready while its containers run.
    const mayRun = couldHaveRunningContainers(podUid(pod));
    const status = normalizeStatus(pod, mayRun ? dated : withoutReadiness(pod, dated, clock.now()));
    const isSame = current?.finished === finished && isDeleting(current.pod) === isDeleting(pod);
    if (isSame && sameStatus(current.status, status)) {
      // Fields of other writers may have changed, which decide over readiness gates.
      const same = { ...current, pod, status };
      updates.set(podUid(pod), same);
      for (const delivery of deliveries()) delivery.submitIfPending(same);
      return false;
    }
    lastVersion += 1;
    changedStatuses.inc();
    const newest: PodStatusUpdate = { pod, status, version: lastVersion, finished };
    if (current === undefined) for (const delivery of deliveries()) delivery.begin(pod, before);
    countTerminated(before, status);
    updates.set(podUid(pod), newest);
    restorer?.record(newest);
    for (const delivery of deliveries()) delivery.submit(newest);
    changed.emit(newest);
    return true;
  };

  /** Changes the status of one container, if the pod has it. */
  const updateContainer = (
    podUid: string,
    containerId: string,
    change: (container: ContainerStatus) => ContainerStatus,
    conclude: (pod: Pod, status: PodStatus) => PodStatus = (_pod, status) => status,
  ): void => {
    const current = updates.get(podUid);
    if (current === undefined) return;
    const changeList = (list: readonly ContainerStatus[] | undefined): readonly ContainerStatus[] | undefined =>
      list?.map((container) => (container.containerID === containerId ? change(container) : container));
    const { initContainerStatuses, containerStatuses, ...rest } = current.status;
    const [init, regular] = [changeList(initContainerStatuses), changeList(containerStatuses)];
    const status = {
      ...rest,
      ...(init !== undefined && { initContainerStatuses: init }),
      ...(regular !== undefined && { containerStatuses: regular }),
    };
    if (!sameStatus(current.status, status)) update(current.pod, conclude(current.pod, status), false);
  };

  const forget = (podUid: string): void => {
    restorer?.forget(podUid);
    const current = updates.get(podUid);
    if (current === undefined) return;
    if (mirrorPod?.(current.pod) !== undefined) anew.set(podUid, current.pod);
    updates.delete(podUid);
    for (const delivery of deliveries()) delivery.forget(podUid);
    forgotten.emit(current);
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
      const current = updates.get(podUid);
      if (current === undefined) return;
      const ready = condition(current.pod, 'PodReadyToStartContainers', true);
      update(current.pod, { ...current.status, conditions: withCondition(current.status.conditions, ready) }, false);
    },
    terminatePod: (pod) => void update(pod, terminatedPodStatus(pod, previousStatus(pod)), true),
    republish(podUid) {
      const current = updates.get(podUid);
      if (current !== undefined) for (const delivery of deliveries()) delivery.submit(current);
    },
    isPublished: (podUid) => (created ?? []).every((delivery) => delivery.isPublished(podUid)),
    removeOrphaned(knownPodUids) {
      restorer?.retain(knownPodUids);
      for (const podUid of [...updates.keys()]) if (!knownPodUids.has(podUid)) forget(podUid);
      for (const [podUid, pod] of anew)
        if (!knownPodUids.has(podUid) && mirrorPod?.(pod) === undefined) anew.delete(podUid);
    },
    forget,
    startAnew(pod) {
      forget(podUid(pod));
      anew.set(podUid(pod), pod);
    },
    get: (podUid) => updates.get(podUid)?.status,
    previousStatus,
    list: () => [...updates.values()],
    status$: changed.values$,
    published$: published.values$,
    forgotten$: forgotten.values$,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** A late result must not make a terminated container ready. */
function runs({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
}

function isDeleting(pod: Pod): boolean {
  return pod.metadata?.deletionTimestamp !== undefined;
}

/** Returns the status with the pod's current generation as the observed one (KEP-5067). */
function observedBy(pod: Pod, status: PodStatus): PodStatus {
  const observedGeneration = pod.metadata?.generation;
  return observedGeneration === undefined || observedGeneration === 0 ? status : { ...status, observedGeneration };
}

/** Returns the status with the pod conditions that follow from the readiness of its containers. */
function withReadiness(pod: Pod, status: PodStatus): PodStatus {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const input = { pod, statuses, phase: status.phase };
  const ready = withCondition(status.conditions, readyCondition(input, status.conditions));
  return { ...status, conditions: withCondition(ready, containersReadyCondition(input)) };
}
