import type { PodWorkerState } from './pod-worker-state.ts';
import type { Worker } from './worker.ts';

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
export function inspectWorker(worker: Worker, nowMs: number): PodWorkerSnapshot {
  const { uid, fullName, state, step, pending, nextStepMs, lastError, successor } = worker;
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
