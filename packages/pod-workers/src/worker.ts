import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { effectiveRestartPolicy } from '@rxlet/pod-model/restart';
import { fullNameOf, type PodSubject } from './pod-subject.ts';
import type { PodWorkerState } from './pod-worker-state.ts';

/** Cause of a step: the pod is new, it changed, it had an event, or a resync was due. */
export type StepCause = 'create' | 'update' | 'sync';

/** Request for the next step. All requests since the last step began are merged into one, with the time of the oldest. */
export interface PendingStep {
  readonly cause: StepCause;
  /** On the monotonic clock. */
  readonly sinceMs: number;
}

/** A running step. */
export interface RunningStep {
  readonly answers: PendingStep;
  /** When it began, on the monotonic clock. */
  readonly sinceMs: number;
  readonly controller: AbortController;
  /** Whether it has begun to stop the containers. */
  isStopping: boolean;
  /** When it was cancelled, on the monotonic clock. */
  cancelledMs: number | undefined;
}

/** Record of one incarnation of a pod. Plain data: there are many pods, and they share the functions. */
export interface Worker {
  readonly uid: string;
  readonly fullName: string;
  subject: PodSubject;
  state: PodWorkerState;
  step: RunningStep | undefined;
  /** Set when another step must follow the running one, or the wait for the first. */
  pending: PendingStep | undefined;
  /** When the next step is due unless one is requested earlier, on the monotonic clock. */
  nextStepMs: number | undefined;
  lastError: string | undefined;
  /** Whether the last step failed, other than by waiting for a back-off. */
  failing: boolean;
  /** When the last step that may have changed the runtime ended, on the counter of the status source. */
  mark: number;
  /** When the worker was created, on the monotonic clock; `undefined` once its first sync began. */
  seenMs: number | undefined;
  /**
   * Whether its phase was terminal when it was added. If it does not run, an earlier run of the agent terminated it and reported its status, so that
   * only the clean-up is left.
   */
  endedEarlier: boolean;
  /** Whether an attempt to stop the containers was cut short by a shorter grace period. */
  cutShort: boolean;
  /** See TerminationRequest. */
  amendStatus: ((status: PodStatus) => PodStatus) | undefined;
  /** Resolves when no container runs. */
  termination: PromiseWithResolvers<void> | undefined;
  /** A pod of the same UID that was added while this one terminates. */
  successor: Pod | undefined;
  /** Whether the pod was not desired at the last `retain`. */
  orphan: boolean;
}

/**
 * Reports whether the containers of a finished pod stay: a successor of the same UID restarts them, with their restart counts. An evicted pod frees its disk space, and a
 * successor with containers that may complete must not find those of the earlier incarnation.
 */
export function keepsContainers({ state, successor }: Pick<Worker, 'state' | 'successor'>): boolean {
  if (successor === undefined || !('evicted' in state) || state.evicted) return false;
  const { containers = [] } = successor.spec ?? {};
  return containers.every((container) => effectiveRestartPolicy(container, successor) === 'Always');
}

/** Creates the record of an incarnation; `mark` is that of the earlier one, if any. */
export function createWorker(
  uid: string,
  subject: PodSubject,
  state: PodWorkerState,
  mark: number,
  nowMs: number,
): Worker {
  return {
    uid,
    fullName: fullNameOf(subject),
    subject,
    state,
    step: undefined,
    pending: undefined,
    nextStepMs: undefined,
    lastError: undefined,
    failing: false,
    mark,
    seenMs: nowMs,
    endedEarlier: subject.kind === 'pod' && isTerminalPhase(subject.pod.status?.phase),
    cutShort: false,
    amendStatus: undefined,
    termination: undefined,
    successor: undefined,
    orphan: false,
  };
}

const RANK: Readonly<Record<StepCause, number>> = { sync: 0, update: 1, create: 2 };

/** Merges a cause into the pending step: the oldest time is kept, and the cause of the highest rank. */
export function mergePending(pending: PendingStep | undefined, cause: StepCause, nowMs: number): PendingStep {
  if (pending === undefined) return { cause, sinceMs: nowMs };
  return RANK[cause] > RANK[pending.cause] ? { cause, sinceMs: pending.sinceMs } : pending;
}
