import type { KubeError } from '@rxlet/kube-api/client';
import { isExpired, isVersionTooLarge } from '../request/response-error.ts';

/** Progress of a watch, over all of its connections. */
export interface WatchState {
  /** Last version that was seen; `undefined` before the first. */
  readonly resourceVersion: string | undefined;
  /** Next attempt: read all objects and follow them on one connection, read them by a list, or follow changes. */
  readonly next: 'stream' | 'list' | 'watch';
  /** Whether the API server offers to send the objects at the begin of a watch. */
  readonly canStream: boolean;
  /** Whether the most recent state must be read: the API server does not know the last version, or a first list from its cache would not do. */
  readonly mustBeCurrent: boolean;
}

/** An attempt, with the version that it asks for. */
export type WatchAttempt =
  | { readonly kind: 'stream'; readonly resourceVersion: string | undefined }
  | { readonly kind: 'list'; readonly resourceVersion: string }
  | { readonly kind: 'watch'; readonly resourceVersion: string };

/** End of an attempt. */
export type WatchOutcome =
  /** The list was read. */
  | { readonly type: 'listed' }
  /** The connection ended, at its timeout or by a restart of the API server. */
  | { readonly type: 'ended'; readonly isSynced: boolean; readonly wasUseful: boolean }
  /** The attempt failed. `isSynced`: all objects had been read. */
  | { readonly type: 'failed'; readonly error: KubeError; readonly isSynced: boolean };

/** A state, and whether the next attempt waits for the back-off. */
export interface WatchStep {
  readonly state: WatchState;
  readonly isDelayed: boolean;
}

/** Returns the state of a watch that has not begun. */
export function initialWatchState({ isFirstListCurrent }: { readonly isFirstListCurrent: boolean }): WatchState {
  return { resourceVersion: undefined, next: 'stream', canStream: true, mustBeCurrent: isFirstListCurrent };
}

/** Returns the next attempt. The first list may come from the API server's cache, unless it must be current; later ones must not be older than what was seen. */
export function nextAttempt({ next, resourceVersion, mustBeCurrent }: WatchState): WatchAttempt {
  switch (next) {
    case 'stream':
      return { kind: 'stream', resourceVersion: mustBeCurrent ? undefined : resourceVersion };
    case 'list':
      return { kind: 'list', resourceVersion: mustBeCurrent ? '' : (resourceVersion ?? '0') };
    case 'watch':
      return { kind: 'watch', resourceVersion: resourceVersion ?? '0' };
  }
}

/** Returns the state after a version was seen: of a list, an event or a bookmark. */
export function withVersion(state: WatchState, resourceVersion: string): WatchState {
  return { ...state, resourceVersion, mustBeCurrent: false };
}

/** Decides how a watch goes on after an attempt (client-go: Reflector.ListAndWatch). */
export function afterAttempt(state: WatchState, { kind }: WatchAttempt, outcome: WatchOutcome): WatchStep {
  if (outcome.type === 'listed') return { state: { ...state, next: 'watch' }, isDelayed: false };
  if (outcome.type === 'ended') {
    if (outcome.isSynced) return { state: { ...state, next: 'watch' }, isDelayed: !outcome.wasUseful };
    // It ended before all objects were sent; a server that does not know the option never sends their end.
    return { state: { ...state, next: 'list' }, isDelayed: !outcome.wasUseful };
  }
  const { error, isSynced } = outcome;
  if (isSynced) return afterBrokenWatch(state, error);
  return kind === 'stream' ? afterFailedStream(state, error) : afterFailedList(state, error);
}

function afterBrokenWatch(state: WatchState, error: KubeError): WatchStep {
  if (isTemporary(error)) return { state: { ...state, next: 'watch' }, isDelayed: true };
  return { state: { ...relisting(state), mustBeCurrent: isVersionTooLarge(error) }, isDelayed: true };
}

function afterFailedStream(state: WatchState, error: KubeError): WatchStep {
  if (error.reason === 'Invalid' || error.reason === 'BadRequest') {
    return { state: { ...state, next: 'list', canStream: false }, isDelayed: false };
  }
  if (isExpired(error) || isVersionTooLarge(error))
    return { state: { ...state, mustBeCurrent: true }, isDelayed: true };
  if (isTemporary(error)) return { state, isDelayed: true };
  return { state: { ...state, next: 'list' }, isDelayed: false };
}

function afterFailedList(state: WatchState, error: KubeError): WatchStep {
  if ((isExpired(error) || isVersionTooLarge(error)) && !state.mustBeCurrent) {
    return { state: { ...state, mustBeCurrent: true }, isDelayed: false };
  }
  return { state: relisting(state), isDelayed: true };
}

function relisting(state: WatchState): WatchState {
  return { ...state, next: state.canStream ? 'stream' : 'list' };
}

/** Reports whether the same attempt may succeed later: the API server was not reached, or is too busy. */
function isTemporary({ reason }: KubeError): boolean {
  return ['Unreachable', 'DeadlineExceeded', 'InvalidCredentials', 'TooManyRequests'].includes(reason);
}
