import type { KubeObject, ObjectChange, ObjectRef } from './kube-client.ts';

/** The objects of a watch by their names, with the changes that lead from one state to the next. */
export interface ObjectCopy<T> {
  readonly size: number;
  list(): readonly T[];
  find(ref: ObjectRef): T | undefined;
  /** Adds or replaces an object. @returns the changes */
  put(object: T): readonly ObjectChange<T>[];
  /** Removes an object. @returns the changes; none for an unknown object */
  remove(object: T): readonly ObjectChange<T>[];
  /** Replaces all objects. @returns the changes, removals first */
  replace(objects: readonly T[]): readonly ObjectChange<T>[];
}

/** Creates an empty {@link ObjectCopy}. */
export function createObjectCopy<T extends KubeObject>(): ObjectCopy<T> {
  let objects = new Map<string, T>();
  const changesOf = (previous: T | undefined, object: T): readonly ObjectChange<T>[] => {
    if (previous === undefined) return [{ type: 'added', object }];
    // Another object took the name, and the removal of the previous one was missed.
    if (previous.metadata?.uid !== object.metadata?.uid) {
      return [
        { type: 'deleted', object: previous },
        { type: 'added', object },
      ];
    }
    if (previous.metadata?.resourceVersion === object.metadata?.resourceVersion) return [];
    return [{ type: 'modified', object, previous }];
  };
  return {
    get size() {
      return objects.size;
    },
    list: () => [...objects.values()],
    find: (ref) => objects.get(keyOf(ref)),
    put(object) {
      const key = keyOfObject(object);
      const found = changesOf(objects.get(key), object);
      if (found.length > 0) objects.set(key, object);
      return found;
    },
    remove(object) {
      return objects.delete(keyOfObject(object)) ? [{ type: 'deleted', object }] : [];
    },
    replace(next) {
      const before = objects;
      const changes: ObjectChange<T>[] = [];
      objects = new Map();
      for (const object of next) {
        const key = keyOfObject(object);
        const previous = before.get(key);
        const found = changesOf(previous, object);
        // Subscribers have the previous object; one that did not change stays the same.
        objects.set(key, found.length === 0 ? previous! : object);
        changes.push(...found);
      }
      const gone = [...before].filter(([key]) => !objects.has(key)).map(([, object]) => object);
      return [...gone.map((object): ObjectChange<T> => ({ type: 'deleted', object })), ...changes];
    },
  };
}

function keyOfObject({ metadata }: KubeObject): string {
  return keyOf({ name: metadata?.name ?? '', namespace: metadata?.namespace });
}

function keyOf({ name, namespace }: ObjectRef): string {
  return namespace ? `${namespace}/${name}` : name;
}
