import type { PodWorkerState } from './pod-worker-state.ts';
import type { Worker } from './worker.ts';

/** What there is to know about a worker. All times are ages or delays in milliseconds. */
export interface PodWorkerSnapshot {
  readonly uid: string;
  /** `name_namespace`. */
  readonly pod: string;
  readonly state: PodWorkerState;
  /** How long the step that runs has been running. */
  readonly stepAgeMs?: number;
  /** How long ago it was told to stop. As long as it does not, no other step begins. */
  readonly cancelledForMs?: number;
  /** Something happened since it began, so that another step follows at once. */
  readonly dirty: boolean;
  /** How long what the next step has to answer to has been waiting for it, also before a first step that has to wait. */
  readonly pendingForMs?: number;
  /** When the next step is due. Neither this nor a step: the worker waits for something to happen. */
  readonly nextStepInMs?: number;
  /** The message of the last step, if it failed. */
  readonly lastError?: string;
  /** A pod of the same UID follows when this one has finished. */
  readonly hasSuccessor: boolean;
}

/** Looks into a worker at a time of the monotonic clock. */
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
