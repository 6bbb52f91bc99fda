import type { Pod } from '@rxlet/kube-api';
import type { PodWorkerState } from './pod-worker-state.ts';

/** A pod as its worker keeps it: plain data that changes with the pod. Times are on the monotonic clock. */
export interface PodRecord {
  readonly uid: string;
  /** `name_namespace`. */
  readonly fullName: string;
  readonly state: PodWorkerState;
  /** The running step. */
  readonly step: { readonly sinceMs: number; readonly cancelledMs: number | undefined } | undefined;
  /** The request for the next step. */
  readonly pending: { readonly sinceMs: number } | undefined;
  /** When the next step is due unless one is requested earlier. */
  readonly nextStepMs: number | undefined;
  readonly lastError: string | undefined;
  /** A pod of the same UID that follows when this one has finished. */
  readonly successor: Pod | undefined;
}

/** Snapshot of a worker. All times are ages or delays in milliseconds. */
export interface PodWorkerSnapshot {
  readonly uid: string;
  /** `name_namespace`. */
  readonly pod: string;
  readonly state: PodWorkerState;
  /** Age of the running step. */
  readonly stepAgeMs?: number;
  /** Time since the running step was cancelled. Until it ends no other step begins. */
  readonly cancelledForMs?: number;
  /** Whether another step was requested since the running one began, so that it follows at once. */
  readonly dirty: boolean;
  /** Age of the oldest request for the next step, also before a first step that waits. */
  readonly pendingForMs?: number;
  /** Time until the next step is due. Absent without a step too: the worker waits for a request. */
  readonly nextStepInMs?: number;
  /** Error of the last step, if it failed. */
  readonly lastError?: string;
  /** Whether a pod of the same UID follows when this one has finished. */
  readonly hasSuccessor: boolean;
}

/** Returns the snapshot of a worker at a time of the monotonic clock. */
export function inspectPod(pod: PodRecord, nowMs: number): PodWorkerSnapshot {
  const { uid, fullName, state, step, pending, nextStepMs, lastError, successor } = pod;
  return {
    uid,
    pod: fullName,
    state,
    ...(step !== undefined && { stepAgeMs: nowMs - step.sinceMs }),
    ...(step?.cancelledMs !== undefined && { cancelledForMs: nowMs - step.cancelledMs }),
    dirty: step !== undefined && pending !== undefined,
    ...(pending !== undefined && { pendingForMs: nowMs - pending.sinceMs }),
    ...(nextStepMs !== undefined && { nextStepInMs: Math.max(0, nextStepMs - nowMs) }),
    ...(lastError !== undefined && { lastError }),
    hasSuccessor: successor !== undefined,
  };
}
