import type { Pod, PodStatus } from '@rxlet/kube-api';
import { effectiveGracePeriodSeconds } from './effective-grace-period.ts';
import { podOf, type PodSubject, terminationAskedFor } from './pod-subject.ts';

/**
 * Where the life of a pod on this node stands. There is no way back:
 *
 *     waiting ──▶ syncing ──▶ terminating ──▶ terminated ──▶ finished
 *        │                         ▲                             ▲
 *        ├─ found in the runtime ──┘                             │
 *        └─ terminated before it started ────────────────────────┘
 *
 * - `waiting`: not started, because another pod of the same full name has not finished yet (static pods).
 * - `syncing`: its containers are to run; the runtime is brought to what its spec says, again and again.
 * - `terminating`: its containers are to stop, within `gracePeriodSeconds`; they may still be running.
 * - `terminated`: no container runs any more, nor ever will; what is left of it on the node is cleaned up.
 * - `finished`: nothing is left. The state stays until the pod is no longer desired.
 *
 * A pod begins in the first of `syncing` and `waiting` that applies, or where its own object or its being an orphan leads from there.
 */
export type PodWorkerState = WaitingState | SyncingState | TerminatingState | TerminatedState | FinishedState;

interface StateBase {
  /** When the state was entered, in epoch milliseconds. */
  readonly sinceMs: number;
}

export interface WaitingState extends StateBase {
  readonly kind: 'waiting';
}

export interface SyncingState extends StateBase {
  readonly kind: 'syncing';
}

/** Why a pod had to terminate. */
export type TerminationReason =
  /** It was deleted: its source no longer has it, or its deletionTimestamp is set. */
  | 'deleted'
  /** The runtime holds it, but no source knows it. */
  | 'orphaned'
  /** Its phase is Succeeded or Failed: all its containers have ended for good. */
  | 'completed'
  /** The node needs what it uses. */
  | 'evicted'
  /** Somebody on the node asked for it. */
  | 'killed';

interface TerminationState extends StateBase {
  /** The first reason; later ones do not replace it. */
  readonly reason: TerminationReason;
  /** Whether the pod is to leave nothing behind, not even logs: it was deleted or orphaned. May turn true later, never false. */
  readonly deleted: boolean;
  /** Whether it was evicted: its containers are removed at once to free what they use. May turn true later, never false. */
  readonly evicted: boolean;
  /** How long its containers get to stop, in seconds, at least 1. May only shrink. */
  readonly gracePeriodSeconds: number;
}

export interface TerminatingState extends TerminationState {
  readonly kind: 'terminating';
}

export interface TerminatedState extends TerminationState {
  readonly kind: 'terminated';
}

export interface FinishedState extends TerminationState {
  readonly kind: 'finished';
}

/** A wish that a pod ends. */
export interface TerminationRequest {
  readonly reason: TerminationReason;
  /** Overrides the grace period that the pod asks for, in seconds; 0 counts as 1. A longer one than applies already changes nothing. */
  readonly gracePeriodSeconds?: number;
  /**
   * What whoever ends the pod has to say in its status: an eviction's phase `Failed` with reason and message. Reaches the syncer as
   * {@link TerminatingRequest.amendStatus}; of several requests, the last one that has it counts. Must not throw, nor change its argument.
   */
  readonly amendStatus?: (status: PodStatus) => PodStatus;
}

/** The state in which the life of a pod begins. `mayStart`: nobody uses its full name, or it need not care. */
export function initialState(subject: PodSubject, mayStart: boolean, nowMs: number): PodWorkerState {
  const state: PodWorkerState = { kind: mayStart ? 'syncing' : 'waiting', sinceMs: nowMs };
  const request = terminationAskedFor(subject);
  return request === undefined ? state : requestTermination(state, podOf(subject), request, nowMs);
}

const DELETING: ReadonlySet<TerminationReason> = new Set(['deleted', 'orphaned']);

/**
 * The state after somebody asked for the end of a pod. Asking again can shorten the grace period and turn an ended pod into a deleted or evicted one;
 * what changes nothing gives the same object.
 */
export function requestTermination(
  state: PodWorkerState,
  pod: Pod | undefined,
  request: TerminationRequest,
  nowMs: number,
): PodWorkerState {
  const { reason } = request;
  const deleted = DELETING.has(reason);
  const evicted = reason === 'evicted';
  switch (state.kind) {
    case 'waiting':
    case 'syncing':
      return {
        // A pod that waits has nothing in the runtime that would have to stop, unless that is where it was found.
        kind: state.kind === 'waiting' && reason !== 'orphaned' ? 'finished' : 'terminating',
        sinceMs: nowMs,
        reason,
        deleted,
        evicted,
        gracePeriodSeconds: effectiveGracePeriodSeconds(pod, undefined, request.gracePeriodSeconds),
      };
    case 'terminating':
      return amend(state, {
        deleted,
        evicted,
        gracePeriodSeconds: effectiveGracePeriodSeconds(pod, state.gracePeriodSeconds, request.gracePeriodSeconds),
      });
    case 'terminated':
    case 'finished':
      return amend(state, { deleted, evicted, gracePeriodSeconds: state.gracePeriodSeconds });
  }
}

function amend<S extends TerminationState>(
  state: S,
  { deleted, evicted, gracePeriodSeconds }: Pick<TerminationState, 'deleted' | 'evicted' | 'gracePeriodSeconds'>,
): S {
  if ((!deleted || state.deleted) && (!evicted || state.evicted) && gracePeriodSeconds === state.gracePeriodSeconds)
    return state;
  return { ...state, deleted: state.deleted || deleted, evicted: state.evicted || evicted, gracePeriodSeconds };
}

/** The state after the work of `state` came to its end: its containers ended for good, were stopped, or what they left was cleaned up. */
export function afterCompletion(state: PodWorkerState, pod: Pod | undefined, nowMs: number): PodWorkerState {
  switch (state.kind) {
    case 'waiting':
    case 'finished':
      return state;
    case 'syncing':
      return requestTermination(state, pod, { reason: 'completed' }, nowMs);
    case 'terminating':
      return { ...state, kind: 'terminated', sinceMs: nowMs };
    case 'terminated':
      return { ...state, kind: 'finished', sinceMs: nowMs };
  }
}

/** The state of a pod that waited and whose turn has come. */
export function afterWaiting(state: WaitingState, nowMs: number): SyncingState {
  return { ...state, kind: 'syncing', sinceMs: nowMs };
}
