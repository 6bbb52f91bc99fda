import type { StoredObject } from '../api-object.ts';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import type { StoreChange } from '../store/object-store.ts';

/** A line of a watch with an object. */
export interface ObjectLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
}

/** A line of a watch that says how far it is. */
export interface BookmarkLine {
  readonly type: 'BOOKMARK';
  readonly object: unknown;
}

/** Returns the line for a change as a watch with a selector sees it: objects enter and leave the selection. `undefined` when it sees nothing. */
export function lineOfChange(change: StoreChange, matches: (object: StoredObject) => boolean): ObjectLine | undefined {
  const { object, previous, revision } = change;
  const before = previous !== undefined && matches(previous) ? previous : undefined;
  if (object !== undefined && matches(object)) return { type: before === undefined ? 'ADDED' : 'MODIFIED', object };
  if (before === undefined) return undefined;
  // The last state that the watch selected, with the version of its end.
  const metadata = { ...before.metadata, resourceVersion: String(revision) };
  return { type: 'DELETED', object: { ...before, metadata } };
}

/** Returns a bookmark: nothing else has happened up to `revision`. */
export function bookmarkLine(type: ResourceType, revision: number, isEndOfInitialEvents: boolean): BookmarkLine {
  const metadata = {
    resourceVersion: String(revision),
    creationTimestamp: null,
    ...(isEndOfInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
  };
  return { type: 'BOOKMARK', object: { kind: type.kind, apiVersion: apiVersionOfType(type), metadata } };
}
