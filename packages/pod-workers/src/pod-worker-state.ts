import type { Pod } from '@rxlet/kube-api';
import { effectiveGracePeriodSeconds } from './effective-grace-period.ts';
import { podOf, type PodSubject, demandedTermination } from './pod-subject.ts';
import type { TerminationRequest } from './termination-request.ts';
import type { TerminationReason } from './termination-reason.ts';

/**
 * State of a pod on this node. A pod never returns to an earlier state:
 *
 *     waiting ──▶ syncing ──▶ terminating ──▶ terminated ──▶ finished
 *        │                         ▲                             ▲
 *        ├─ found in the runtime ──┘                             │
 *        └─ terminated before it started ────────────────────────┘
 *
 * - `waiting`: not started, because another pod of the same full name has not finished yet (static pods).
 * - `syncing`: its containers must run; steps drive the runtime towards its spec.
 * - `terminating`: its containers must stop within `gracePeriodSeconds`; they may still run.
 * - `terminated`: no container runs, or will run again; the node is cleaned up.
 * - `finished`: the clean-up was done. The state stays until the pod is no longer desired.
 *
 * A pod begins as `syncing` or `waiting`, or in the state to which a termination that its subject demands leads from there.
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

interface TerminationState extends StateBase {
  /** The first reason; later ones do not replace it. */
  readonly reason: TerminationReason;
  /** Whether the pod was deleted or orphaned, so that its containers, logs and directories are removed. May turn true later, never false. */
  readonly deleted: boolean;
  /** Whether the pod was evicted, so that its containers are removed at once. May turn true later, never false. */
  readonly evicted: boolean;
  /** Grace period of its containers, in seconds, at least 1. May only shrink. */
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

/** Returns the initial state of a pod. `mayStart`: its full name is free, or the pod needs none. */
export function initialState(subject: PodSubject, mayStart: boolean, nowMs: number): PodWorkerState {
  const state: PodWorkerState = { kind: mayStart ? 'syncing' : 'waiting', sinceMs: nowMs };
  const request = demandedTermination(subject);
  return request === undefined ? state : requestTermination(state, podOf(subject), request, nowMs);
}

const DELETING: ReadonlySet<TerminationReason> = new Set(['deleted', 'orphaned']);

/**
 * Returns the state after a request to terminate a pod. Further requests can shorten the grace period, and mark the pod deleted or evicted. A request
 * that changes nothing returns the same object.
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
        // A waiting pod has no containers, unless it was found in the runtime.
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

/** Returns the state after the work of `state` is done: the containers ended, were stopped, or were cleaned up. */
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

/** Returns the state of a waiting pod whose full name is free. */
export function afterWaiting(state: WaitingState, nowMs: number): SyncingState {
  return { ...state, kind: 'syncing', sinceMs: nowMs };
}
