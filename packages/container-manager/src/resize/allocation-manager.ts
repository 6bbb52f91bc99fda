import { type AdmissionHandler, type AdmissionRejection, otherPods } from '@rxlet/agent-api';
import type { PodAllocations } from '@rxlet/agent-api/node';
import { type Clock, createLifetime, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { podEventObject, podUid } from '@rxlet/pod-model';
import {
  desiredResources,
  isResized,
  reportedResources,
  type PodResourcesRecord,
  resizeMessage,
  withAllocatedResources,
} from '@rxlet/pod-model/resize';
import type { AllocationStore } from './allocation-store.ts';
import type { ResizeMetrics, RetryTrigger } from './resize-metrics.ts';
import { orderResizes, type WaitingResize } from './order-resizes.ts';
import { pendingCondition, type PendingResize, reportedResize } from './pending-resize.ts';
import { infeasibleCause, insufficientResource, type ResizePolicies } from './resize-fit.ts';

/** Ports of {@link createAllocationManager}. */
export interface AllocationManagerPorts {
  readonly store: AllocationStore;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger: Logger;
  /** Returns the pods that have not terminated, those that wait for their admission included. */
  activePods(): readonly Pod[];
  /** Reports whether all sources have reported their pods. Before that no resize is decided on. */
  sourcesReady(): boolean;
  /** Admission handlers of the agent, which judge a resize like a new pod. */
  handlers(): readonly AdmissionHandler[];
  /** Returns the last reported status of a pod; of an earlier run of the agent after its start. */
  statusOf(pod: Pod): PodStatus | undefined;
  /** Default: none. */
  readonly metrics?: ResizeMetrics | undefined;
  /** Returns the resources for pods; without CPU and memory, only handlers judge whether a resize fits. */
  allocatable(): Readonly<Record<string, string>>;
}

/** Allocates the resources of pods and decides on resizes. */
export interface AllocationManager extends PodAllocations, AsyncDisposable {
  /** Loads the allocations of an earlier run and begins to decide. */
  start(): Promise<void>;
  /** Removes the allocations of all pods except those to keep. */
  retain(isKept: (podUid: string) => boolean): void;
  /** Decides on no resize of a pod that terminates, until it is admitted again: its containers do not change any more. */
  terminating(podUid: string): void;
  /** Decides anew on resizes that were put off. Call it when a pod has freed its resources. */
  retry(): void;
  /** Returns the condition `PodResizePending` of a pod; `undefined` when no resize was put off. */
  condition(pod: Pod): PodCondition | undefined;
}

const RETRY_PERIOD_MS = 3 * 60_000;
const SOURCES_RETRY_PERIOD_MS = 30_000;
const DECISION_TIMEOUT_MS = 30_000;

/** Creates an {@link AllocationManager}. */
export function createAllocationManager(
  ports: AllocationManagerPorts,
  policies: ResizePolicies = {},
): AllocationManager {
  const { store, clock, events, logger } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const changes = createEmitter<Pod>();
  const allocations = createEmitter<string>();
  lifetime.defer(() => {
    changes.complete();
    allocations.complete();
  });
  /** Desired versions of the pods whose resize waits for a decision. */
  const waiting = new Map<string, Pod>();
  /** Last desired version of each pod. */
  const desired = new Map<string, Pod>();
  /** UIDs of the pods that terminate. */
  const terminating = new Set<string>();
  /** Resizes that were put off or cannot be. */
  const pending = new Map<string, PendingResize>();
  let deciding: Promise<void> | undefined;
  let requestedBy: RetryTrigger | undefined;

  /** Pods and records are immutable, and every admission asks for the allocated versions of all other pods. */
  const versions = new WeakMap<Pod, { readonly record: PodResourcesRecord; readonly allocated: Pod }>();

  const withAllocation = (pod: Pod): Pod => {
    const record = store.get(podUid(pod));
    if (record === undefined) {
      const reported = reportedResources(pod, ports.statusOf(pod));
      return reported === undefined ? pod : withAllocatedResources(pod, reported);
    }
    const known = versions.get(pod);
    if (known?.record === record) return known.allocated;
    const version = withAllocatedResources(pod, record);
    versions.set(pod, { record, allocated: version });
    return version;
  };

  /** Reports whether the resize that a pod desires waits for its first decision. */
  const isUndecided = (uid: string): boolean => {
    const desired = waiting.get(uid);
    if (desired === undefined) return false;
    const decided = pending.get(uid);
    return decided === undefined || decided.generation !== desired.metadata?.generation;
  };

  const allocated = (pod: Pod): Pod => {
    const version = withAllocation(pod);
    if (version === pod || !isUndecided(podUid(pod))) return version;
    // With the new generation, a status would report the resize as done.
    return withGeneration(version, ports.statusOf(pod)?.observedGeneration);
  };

  const allocate = (pod: Pod, resources: PodResourcesRecord): void => {
    store.set(podUid(pod), resources);
    allocations.emit(podUid(pod));
  };

  /** Returns why a resize does not fit now; `undefined` when it fits. */
  const findRejection = async (desired: Pod): Promise<AdmissionRejection | undefined> => {
    const others = ports
      .activePods()
      .filter((pod) => podUid(pod) !== podUid(desired))
      .map(allocated);
    const insufficient = insufficientResource(desired, others, ports.allocatable());
    if (insufficient !== undefined) return insufficient;
    for (const handler of ports.handlers()) {
      const decision = await withDeadline(clock, DECISION_TIMEOUT_MS, signal, async (bounded) =>
        handler.admit(desired, otherPods(others), bounded),
      );
      // No pod is preempted for a resize.
      if (decision !== undefined)
        return 'prepare' in decision ? { reason: 'OutOfResources', message: 'other pods use the resources' } : decision;
    }
    return undefined;
  };

  /** Returns the pending resize of a pod, also of an earlier run of the agent. */
  const lastDecision = (pod: Pod): PendingResize | undefined =>
    pending.get(podUid(pod)) ?? reportedResize(ports.statusOf(pod));

  const putOff = (desired: Pod, reason: PendingResize['reason'], message: string): void => {
    const uid = podUid(desired);
    const before = lastDecision(desired);
    const generation = desired.metadata?.generation;
    const isNew = before?.reason !== reason || before.generation !== generation;
    const sinceMs = before?.reason === reason ? before.sinceMs : clock.now();
    pending.set(uid, { reason, message, generation, sinceMs });
    if (isNew) {
      const kind = reason === 'Infeasible' ? 'ResizeInfeasible' : 'ResizeDeferred';
      events.event(podEventObject(desired), 'Warning', kind, resizeMessage(reason, desired, message));
    }
    if (isNew || before?.message !== message) changes.emit(allocated(desired));
  };

  const decide = async (desired: Pod, trigger: RetryTrigger): Promise<void> => {
    const uid = podUid(desired);
    const current = allocated(desired);
    const infeasible = infeasibleCause(desired, current, policies);
    if (infeasible !== undefined) {
      waiting.delete(uid);
      ports.metrics?.infeasible(infeasible.detail);
      putOff(desired, 'Infeasible', infeasible.message);
      return;
    }
    let rejection: AdmissionRejection | undefined;
    try {
      rejection = await findRejection(desired);
    } catch (error) {
      signal.throwIfAborted();
      rejection = { reason: 'UnexpectedAdmissionError', message: errorMessage(error) };
    }
    // The pod may have changed meanwhile: its next version is decided on anew.
    if (waiting.get(uid) !== desired || terminating.has(uid)) return;
    if (rejection !== undefined) {
      putOff(desired, 'Deferred', rejection.message);
      return;
    }
    if (lastDecision(desired)?.reason === 'Deferred') ports.metrics?.acceptedDeferred(trigger);
    waiting.delete(uid);
    pending.delete(uid);
    allocate(desired, desiredResources(desired));
    await store.flush();
    events.event(podEventObject(desired), 'Normal', 'ResizeStarted', resizeMessage('started', desired));
    changes.emit(desired);
  };

  const decideAll = async (): Promise<void> => {
    while (requestedBy !== undefined) {
      const trigger = requestedBy;
      requestedBy = undefined;
      if (!ports.sourcesReady()) return;
      const resizes: WaitingResize[] = [...waiting].map(([uid, desired]) => ({
        desired,
        allocated: allocated(desired),
        deferredSinceMs: pending.get(uid)?.sinceMs,
      }));
      for (const { desired } of orderResizes(resizes))
        if (!terminating.has(podUid(desired))) await decide(desired, trigger);
    }
  };

  const request = (trigger: RetryTrigger): void => {
    requestedBy = trigger;
    if (waiting.size === 0 || signal.aborted) return;
    deciding ??= lifetime
      .track(decideAll())
      .catch((error: unknown) => {
        if (!signal.aborted) logger.error('cannot decide on resizes', { error: errorMessage(error) });
      })
      .finally(() => {
        deciding = undefined;
        if (requestedBy !== undefined) request(requestedBy);
      });
  };

  const retryPeriodically = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, ports.sourcesReady() ? RETRY_PERIOD_MS : SOURCES_RETRY_PERIOD_MS, signal);
      request('periodic_retry');
    }
  };

  const desire = (pod: Pod, trigger: RetryTrigger): void => {
    const uid = podUid(pod);
    const before = desired.get(uid);
    desired.set(uid, pod);
    if (before !== undefined) ports.metrics?.requested(before, pod);
    const record = store.get(uid);
    if (record === undefined) return;
    if (isResized(pod, record)) {
      if (waiting.get(uid) === pod) return;
      // An infeasible resize stays so until the resources change.
      if (pending.get(uid)?.reason === 'Infeasible' && pending.get(uid)?.generation === pod.metadata?.generation)
        return;
      waiting.set(uid, pod);
      request(trigger);
      return;
    }
    waiting.delete(uid);
    if (pending.delete(uid)) changes.emit(pod);
  };

  return {
    allocated,
    admit(pod) {
      terminating.delete(podUid(pod));
      // A pod that an earlier run has admitted keeps its resources, also when their record is lost.
      if (store.get(podUid(pod)) === undefined)
        allocate(pod, reportedResources(pod, ports.statusOf(pod)) ?? desiredResources(pod));
      desire(pod, 'pods_added');
    },
    desire: (pod) => desire(pod, 'pod_updated'),
    terminating: (podUid) => void terminating.add(podUid),
    retry: () => request('pod_terminated'),
    allocations$: allocations.values$,
    changes$: changes.values$,
    retain(isKept) {
      store.retain(isKept);
      for (const uid of desired.keys()) if (!isKept(uid)) desired.delete(uid);
      for (const uid of terminating) if (!isKept(uid)) terminating.delete(uid);
      const gone = [...waiting.keys(), ...pending.keys()].filter((uid) => !isKept(uid));
      for (const uid of gone) {
        waiting.delete(uid);
        pending.delete(uid);
      }
      // Decisions that had to wait for the sources.
      if ([...waiting.keys()].some((uid) => !pending.has(uid))) request('pods_removed');
    },
    condition(pod) {
      const uid = podUid(pod);
      // After a restart of the agent, the resize that the last status shows stays pending until it is decided on again.
      const resize = pending.get(uid) ?? (waiting.has(uid) ? lastDecision(pod) : undefined);
      return resize === undefined ? undefined : pendingCondition(resize, clock.now());
    },
    async start() {
      await store.load();
      void lifetime.track(retryPeriodically()).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function withGeneration(pod: Pod, generation: number | undefined): Pod {
  const { generation: _, ...metadata } = pod.metadata ?? {};
  return { ...pod, metadata: { ...metadata, ...(generation !== undefined && { generation }) } };
}
