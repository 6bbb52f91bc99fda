/** One line of a watch, as the API server writes them. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** Ends what a watch begins with, for readers that ask where that is; the API server's form of it (KEP-3157). */
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
 * What a reader who has seen neither has to be told of two changes of one object, the later one of which has its content. `undefined`: nothing, it
 * came and went.
 */
export function mergeWatchEvents(earlier: WatchEvent, later: WatchEvent): WatchEvent | undefined {
  const isKnown = earlier.type !== 'ADDED';
  if (later.type === 'DELETED') return isKnown ? later : undefined;
  return { type: isKnown ? 'MODIFIED' : 'ADDED', object: later.object };
}
