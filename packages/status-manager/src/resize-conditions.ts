import { type Clock, type Metrics, noopMetrics, toRfc3339 } from '@rxlet/component-base';
import type { PodCondition } from '@rxlet/kube-api';

/** Why a resize waits: there is no room for it now, or there never will be on this node. */
export type PendingResizeReason = 'Deferred' | 'Infeasible';

/** Details of a condition. */
export interface ResizeDetails {
  readonly message?: string | undefined;
  /** Generation of the pod that asked for the resize. */
  readonly observedGeneration?: number | undefined;
}

/**
 * The conditions about resizes in place (KEP-1287), as they go into a pod's status: `PodResizePending` and `PodResizeInProgress`. They are kept beside
 * the status, since what decides over them is neither the runtime nor the containers.
 */
export interface ResizeConditions {
  /** A resize is wanted, and cannot be granted. @returns whether that is news */
  setPending(podUid: string, reason: PendingResizeReason, details?: ResizeDetails): boolean;
  /** A resize is under way; with `error`, it does not get on. @returns whether that is news */
  setInProgress(podUid: string, details?: ResizeDetails & { readonly error?: boolean }): boolean;
  /** @returns whether there was one */
  clearPending(podUid: string): boolean;
  /** @returns whether there was one */
  clearInProgress(podUid: string): boolean;
  /** For `generatePodStatus`. */
  forPod(podUid: string): readonly PodCondition[];
  /** The pod is gone. */
  forget(podUid: string): void;
}

/** What {@link ResizeConditions} work with. */
export interface ResizeConditionsPorts {
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
}

const pendingReasons: readonly PendingResizeReason[] = ['Deferred', 'Infeasible'];

/** Creates {@link ResizeConditions}: at most two for each pod. */
export function createResizeConditions(ports: ResizeConditionsPorts): ResizeConditions {
  const { clock, metrics = noopMetrics } = ports;
  const pending = new Map<string, PodCondition>();
  const inProgress = new Map<string, PodCondition>();
  const pendingGauge = metrics.gauge({
    name: 'kubelet_pod_pending_resizes',
    help: 'Pods with a resize that is not granted, by reason.',
    labelNames: ['reason'],
  });
  const inProgressGauge = metrics.gauge({
    name: 'kubelet_pod_in_progress_resizes',
    help: 'Pods with a resize under way.',
  });
  const measure = (): void => {
    inProgressGauge.set(inProgress.size);
    for (const reason of pendingReasons) {
      const count = [...pending.values()].filter((condition) => condition.reason === reason).length;
      pendingGauge.set(count, { reason: reason.toLowerCase() });
    }
  };
  /** It holds since its reason last changed. */
  const set = (conditions: Map<string, PodCondition>, podUid: string, next: PodCondition): boolean => {
    const before = conditions.get(podUid);
    const now = toRfc3339(clock.now());
    const since = before !== undefined && before.reason === next.reason ? before.lastTransitionTime : now;
    conditions.set(podUid, { ...next, lastProbeTime: now, ...(since !== undefined && { lastTransitionTime: since }) });
    measure();
    return before === undefined || before.reason !== next.reason || before.message !== next.message;
  };
  const clear = (conditions: Map<string, PodCondition>, podUid: string): boolean => {
    const was = conditions.delete(podUid);
    if (was) measure();
    return was;
  };

  return {
    setPending: (podUid, reason, details = {}) =>
      set(pending, podUid, { type: 'PodResizePending', status: 'True', reason, ...shown(details) }),
    setInProgress: (podUid, { error = false, ...details } = {}) =>
      set(inProgress, podUid, {
        type: 'PodResizeInProgress',
        status: 'True',
        ...(error && { reason: 'Error' }),
        ...shown(details),
      }),
    clearPending: (podUid) => clear(pending, podUid),
    clearInProgress: (podUid) => clear(inProgress, podUid),
    forPod: (podUid) => [pending.get(podUid), inProgress.get(podUid)].filter((condition) => condition !== undefined),
    forget(podUid) {
      clear(pending, podUid);
      clear(inProgress, podUid);
    },
  };
}

function shown({ message, observedGeneration }: ResizeDetails): Partial<PodCondition> {
  return {
    ...(message !== undefined && { message }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}
