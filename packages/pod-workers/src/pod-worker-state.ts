import type { Pod } from '@rxlet/kube-api';

/**
 * Where the life of a pod on this node stands. There is no way back:
 *
 *     waiting ──▶ syncing ──▶ terminating ──▶ terminated ──▶ finished
 *        │                                                      ▲
 *        └────────────── terminated before it started ──────────┘
 *
 * - `waiting`: not started, because another pod of the same full name has not finished yet (static pods).
 * - `syncing`: its containers are to run; the runtime is brought to what its spec says, again and again.
 * - `terminating`: its containers are to stop, within `gracePeriodSeconds`; they may still be running.
 * - `terminated`: no container runs any more, nor ever will; what is left of it on the node is cleaned up.
 * - `finished`: nothing is left. The state stays until the pod is no longer desired.
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
  readonly reason: TerminationReason;
  /** Whether the pod is to leave nothing behind, not even logs: it was deleted or orphaned. May turn true later, never false. */
  readonly deleted: boolean;
  /** Whether it was evicted: its containers are removed at once to free what they use. */
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
  /** Overrides the grace period that the pod asks for, in seconds. */
  readonly gracePeriodSeconds?: number;
}

/**
 * The grace period that applies to a pod, in seconds: its deletionGracePeriodSeconds and the request's override each replace a longer one; without
 * any of them it is the spec's; at least 1 (kubelet: pod workers, effective grace period).
 */
export function effectiveGracePeriodSeconds(
  pod: Pod | undefined,
  current: number | undefined,
  override: number | undefined,
): number {
  const shortest = [current, pod?.metadata?.deletionGracePeriodSeconds, override]
    .filter((seconds) => seconds !== undefined)
    .reduce((least, seconds) => Math.min(least, seconds), Infinity);
  const seconds = shortest === Infinity ? (pod?.spec?.terminationGracePeriodSeconds ?? 1) : shortest;
  return Math.max(1, seconds);
}

const DELETING: ReadonlySet<TerminationReason> = new Set(['deleted', 'orphaned']);

/** The state after somebody asked for the end of a pod. Asking again can shorten the grace period and turn an ended pod into a deleted one. */
export function requestTermination(
  state: PodWorkerState,
  pod: Pod | undefined,
  request: TerminationRequest,
  nowMs: number,
): PodWorkerState {
  const deleted = DELETING.has(request.reason);
  const evicted = request.reason === 'evicted';
  switch (state.kind) {
    case 'waiting':
    case 'syncing':
      return {
        // A pod that waits has nothing in the runtime that would have to stop.
        kind: state.kind === 'waiting' ? 'finished' : 'terminating',
        sinceMs: nowMs,
        reason: request.reason,
        deleted,
        evicted,
        gracePeriodSeconds: effectiveGracePeriodSeconds(pod, undefined, request.gracePeriodSeconds),
      };
    case 'terminating':
      return {
        ...state,
        deleted: state.deleted || deleted,
        evicted: state.evicted || evicted,
        gracePeriodSeconds: effectiveGracePeriodSeconds(pod, state.gracePeriodSeconds, request.gracePeriodSeconds),
      };
    case 'terminated':
    case 'finished':
      return { ...state, deleted: state.deleted || deleted, evicted: state.evicted || evicted };
  }
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

/** Whether the pod is to stop or has stopped. */
export function isTerminationRequested(state: PodWorkerState): boolean {
  return state.kind !== 'waiting' && state.kind !== 'syncing';
}

/** Whether a container of the pod may be running. */
export function couldHaveRunningContainers(state: PodWorkerState): boolean {
  return state.kind !== 'terminated' && state.kind !== 'finished';
}

/** Whether the pod's dead containers and logs are to go: it is deleted and stopped, or it was evicted. */
export function shouldContentBeRemoved(state: PodWorkerState): boolean {
  if (state.kind === 'waiting' || state.kind === 'syncing') return false;
  return state.evicted || (state.deleted && state.kind !== 'terminating');
}

/** Whether the pod's sandboxes may go. */
export function shouldRuntimeBeRemoved(state: PodWorkerState): boolean {
  return !couldHaveRunningContainers(state);
}
