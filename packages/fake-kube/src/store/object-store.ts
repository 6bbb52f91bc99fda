import { createEmitter } from '@rxlet/component-base/streams';
import type { Observable } from 'rxjs';
import { keyOf, type StoredMetadata, type StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';

/** A change of an object. Revisions of the store grow with each change, over all resources. */
export interface StoreChange {
  readonly type: ResourceType;
  readonly revision: number;
  /** State after the change; `undefined` when the object was removed. */
  readonly object: StoredObject | undefined;
  /** State before the change; `undefined` when the object was created. */
  readonly previous: StoredObject | undefined;
}

/** An object whose resource version the store sets. */
export interface Versionless {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Omit<StoredMetadata, 'resourceVersion'>;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** An object and its resource. */
export interface StoredEntry {
  readonly type: ResourceType;
  readonly object: StoredObject;
}

/** Objects of all resources, with a bounded history of their changes (etcd's part of a cluster). */
export interface ObjectStore {
  /** Revision of the last change. */
  readonly revision: number;
  /** Revision up to which the history is gone. */
  readonly compactedRevision: number;
  get(
    type: ResourceType,
    ref: { readonly namespace?: string | undefined; readonly name: string },
  ): StoredObject | undefined;
  /** Returns the objects, ordered by namespace and name. */
  list(type: ResourceType, namespace?: string): readonly StoredObject[];
  /** Returns the objects as they were at a revision; `undefined` when the history does not reach that far. */
  listAt(type: ResourceType, revision: number, namespace?: string): readonly StoredObject[] | undefined;
  /** Stores an object under its name, with the next revision as its resource version. */
  write(type: ResourceType, object: Versionless): StoredObject;
  /** Removes an object; later reads do not find it. @returns its last state, with the revision of the removal */
  remove(type: ResourceType, object: StoredObject): StoredObject;
  /** Returns all objects of a namespace, of every resource. */
  inNamespace(namespace: string): readonly StoredEntry[];
  /** Returns all objects of all resources. */
  all(): readonly StoredEntry[];
  /** Fills an empty store with the objects of an earlier one, whose last revision is given. Its history is gone. */
  restore(entries: readonly StoredEntry[], revision: number): void;
  /** Returns the changes after a revision, oldest first; `undefined` when the history does not reach that far. */
  changesSince(type: ResourceType, revision: number): readonly StoreChange[] | undefined;
  /** Emits each change after it was made. */
  readonly changes$: Observable<StoreChange>;
  /** Forgets all history. */
  compact(): void;
  /** Completes the stream of changes. */
  complete(): void;
}

/** Creates an empty {@link ObjectStore} that keeps the last `historyLimit` changes. */
export function createObjectStore({ historyLimit }: { readonly historyLimit: number }): ObjectStore {
  const resources = new Map<string, { readonly type: ResourceType; readonly objects: Map<string, StoredObject> }>();
  const changes = createEmitter<StoreChange>();
  let history: StoreChange[] = [];
  let revision = 1;
  let compactedRevision = 0;

  const objectsOf = (type: ResourceType): Map<string, StoredObject> => {
    const name = `${type.group}/${type.plural}`;
    const found = resources.get(name) ?? { type, objects: new Map<string, StoredObject>() };
    resources.set(name, found);
    return found.objects;
  };
  const record = (change: StoreChange): void => {
    history.push(change);
    // Cut in steps, because each cut copies the rest.
    if (history.length >= 2 * historyLimit) {
      compactedRevision = history[history.length - historyLimit - 1]!.revision;
      history = history.slice(-historyLimit);
    }
    changes.emit(change);
  };
  const isOf = (type: ResourceType) => (change: StoreChange) =>
    change.type.plural === type.plural && change.type.group === type.group;
  const inOrder = (found: Iterable<StoredObject>, namespace: string | undefined): readonly StoredObject[] =>
    [...found]
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .sort((a, b) => (keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1));

  return {
    get revision() {
      return revision;
    },
    get compactedRevision() {
      return compactedRevision;
    },
    get: (type, ref) => objectsOf(type).get(keyOf(ref)),
    list: (type, namespace) => inOrder(objectsOf(type).values(), namespace),
    listAt(type, at, namespace) {
      if (at < compactedRevision || at > revision) return undefined;
      const then = new Map(objectsOf(type));
      for (const change of history.filter(isOf(type)).reverse()) {
        if (change.revision <= at) break;
        if (change.previous !== undefined) then.set(keyOf(change.previous.metadata), change.previous);
        else then.delete(keyOf(change.object!.metadata));
      }
      return inOrder(then.values(), namespace);
    },
    write(type, object) {
      revision += 1;
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
      const key = keyOf(stored.metadata);
      const previous = objectsOf(type).get(key);
      objectsOf(type).set(key, stored);
      record({ type, revision, object: stored, previous });
      return stored;
    },
    remove(type, object) {
      revision += 1;
      const key = keyOf(object.metadata);
      const previous = objectsOf(type).get(key);
      objectsOf(type).delete(key);
      record({ type, revision, object: undefined, previous: previous ?? object });
      return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    },
    inNamespace: (namespace) =>
      [...resources.values()].flatMap(({ type, objects }) =>
        inOrder(objects.values(), namespace)
          .filter(({ metadata }) => metadata.namespace !== undefined)
          .map((object) => ({ type, object })),
      ),
    all: () =>
      [...resources.values()].flatMap(({ type, objects }) =>
        Array.from(objects.values(), (object) => ({ type, object })),
      ),
    restore(entries, last) {
      for (const { type, object } of entries) objectsOf(type).set(keyOf(object.metadata), object);
      revision = last;
      compactedRevision = last;
    },
    changesSince(type, since) {
      if (since < compactedRevision) return undefined;
      return history.filter(isOf(type)).filter((change) => change.revision > since);
    },
    changes$: changes.values$,
    compact() {
      compactedRevision = revision;
      history = [];
    },
    complete: changes.complete,
  };
}
