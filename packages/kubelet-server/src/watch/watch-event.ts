import { flagParameter } from '../request/flag-parameter.ts';

/** One line of a watch, as the API server writes them. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** Bookmark at the end of a watch's initial events, in the API server's form (KEP-3157). Sent on request. */
export interface InitialEventsEnd {
  readonly type: 'BOOKMARK';
  readonly object: { readonly metadata: { readonly annotations: { readonly 'k8s.io/initial-events-end': 'true' } } };
}

/** The one {@link InitialEventsEnd}. */
export const INITIAL_EVENTS_END: InitialEventsEnd = {
  type: 'BOOKMARK',
  object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

/**
 * Merges two changes of one object for a reader that has seen neither; the later one has the content. `undefined`: the object came and went.
 */
export function mergeWatchEvents(earlier: WatchEvent, later: WatchEvent): WatchEvent | undefined {
  const isKnown = earlier.type !== 'ADDED';
  if (later.type === 'DELETED') return isKnown ? later : undefined;
  return { type: isKnown ? 'MODIFIED' : 'ADDED', object: later.object };
}

/** Returns the first events of a watch. As in the API, `sendInitialEvents` requests a bookmark at their end. */
export function initialEvents(
  items: readonly unknown[],
  parameters: URLSearchParams,
): (WatchEvent | InitialEventsEnd)[] {
  const added = items.map((object): WatchEvent => ({ type: 'ADDED', object }));
  return flagParameter(parameters, 'sendInitialEvents') ? [...added, INITIAL_EVENTS_END] : added;
}
