import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { fullNameOf, type PodSubject } from './pod-subject.ts';
import type { PodWorkerState } from './pod-worker-state.ts';

/** Why a pod is looked at: it is new, it changed, or something happened to it or was due. */
export type StepCause = 'create' | 'update' | 'sync';

/** What the next step answers to. All that came since the last one began is one wish, as old as its oldest part. */
export interface PendingStep {
  readonly cause: StepCause;
  /** On the monotonic clock. */
  readonly sinceMs: number;
}

/** A step that runs. */
export interface RunningStep {
  readonly answers: PendingStep;
  /** When it began, on the monotonic clock. */
  readonly sinceMs: number;
  readonly controller: AbortController;
  /** When it was told to stop. */
  cancelledMs: number | undefined;
}

/** All there is to remember of one life of a pod. Plain data: there are many pods, and the functions that work on them are shared. */
export interface Worker {
  readonly uid: string;
  readonly fullName: string;
  subject: PodSubject;
  state: PodWorkerState;
  step: RunningStep | undefined;
  /** Set when another step has to follow the running one, or the wait for the first. */
  pending: PendingStep | undefined;
  /** When the next step is due if nothing happens before, on the monotonic clock. */
  nextStepMs: number | undefined;
  lastError: string | undefined;
  /** When the last call of the syncer ended, on the counter of the status source. */
  mark: number;
  /** When the worker was made, on the monotonic clock, until its first sync begins. */
  seenMs: number | undefined;
  /**
   * Its phase was terminal when it was first seen. If nothing of it runs, an earlier run of the agent has seen to its end and told of it, so that only
   * the cleaning up is left.
   */
  endedEarlier: boolean;
  /** See TerminationRequest. */
  amendStatus: ((status: PodStatus) => PodStatus) | undefined;
  /** Settles for all who wait until no container runs. */
  termination: PromiseWithResolvers<void> | undefined;
  /** A pod of the same UID that came while this one ends. */
  successor: Pod | undefined;
  /** No source had it at the last look. */
  orphan: boolean;
}

/** Makes the record of a life that begins; `mark` is that of the life before, if any. */
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
    mark,
    seenMs: nowMs,
    endedEarlier: subject.kind === 'pod' && isTerminalPhase(subject.pod.status?.phase),
    amendStatus: undefined,
    termination: undefined,
    successor: undefined,
    orphan: false,
  };
}

const RANK: Readonly<Record<StepCause, number>> = { sync: 0, update: 1, create: 2 };

/** Joins a new cause to what is pending: the oldest time stays, and of the causes the one that says most. */
export function mergePending(pending: PendingStep | undefined, cause: StepCause, nowMs: number): PendingStep {
  if (pending === undefined) return { cause, sinceMs: nowMs };
  return RANK[cause] > RANK[pending.cause] ? { cause, sinceMs: pending.sinceMs } : pending;
}
