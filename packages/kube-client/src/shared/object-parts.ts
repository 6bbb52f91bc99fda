import {
  createObjectCopy,
  type KubeObject,
  type ObjectChange,
  type ObjectCopy,
  type ObjectWatch,
} from '@rxlet/kube-api/client';
import type { Logger } from '@rxlet/component-base';
import { createEmitter, currentThenChanges, type Emitter, follow } from '@rxlet/component-base/streams';
import type { KubeResource } from '@rxlet/kube-api/resources';

/** How the objects of a resource are split into parts. */
export interface SplitBy {
  readonly resource: Pick<KubeResource<unknown>, 'group' | 'plural' | 'isNamespaced'>;
  readonly field: 'spec.nodeName' | 'metadata.name';
}

/** The objects of one watch in parts, each of which is an {@link ObjectWatch} of its own. Disposal ends the watch. */
export interface ObjectParts<T> extends AsyncDisposable {
  /** Returns a watch of one part. Its disposal ends it alone. */
  part(key: string): ObjectWatch<T>;
}

/** A part: its objects, and its subscribers if it has any. */
interface Part<T> {
  readonly copy: ObjectCopy<T>;
  readonly changes: Set<Emitter<ObjectChange<T>>>;
}

/** Creates {@link ObjectParts}. A change costs the same however many parts there are. */
export function createObjectParts<T extends KubeObject>(
  { watch, logger }: { readonly watch: ObjectWatch<T>; readonly logger: Logger },
  keyOf: (object: T) => string,
): ObjectParts<T> {
  const parts = new Map<string, Part<T>>();
  let isSynced = false;

  const partOf = (key: string): Part<T> => {
    const found = parts.get(key) ?? { copy: createObjectCopy<T>(), changes: new Set() };
    parts.set(key, found);
    return found;
  };
  const emit = ({ changes }: Part<T>, emitted: readonly ObjectChange<T>[]): void => {
    for (const change of emitted) for (const emitter of [...changes]) emitter.emit(change);
  };
  const remove = (object: T): void => {
    const key = keyOf(object);
    const part = parts.get(key);
    if (part === undefined) return;
    emit(part, part.copy.remove(object));
    dropIfUnused(key, part);
  };
  const put = (object: T): void => {
    const part = partOf(keyOf(object));
    emit(part, part.copy.put(object));
  };
  const dropIfUnused = (key: string, part: Part<T>): void => {
    // A part whose disposal is repeated is none of these any more.
    if (part.copy.size === 0 && part.changes.size === 0 && parts.get(key) === part) parts.delete(key);
  };
  const handle = (change: ObjectChange<T>): void => {
    switch (change.type) {
      case 'snapshot':
        isSynced = true;
        for (const object of change.objects) partOf(keyOf(object)).copy.put(object);
        for (const part of [...parts.values()]) emit(part, [{ type: 'snapshot', objects: part.copy.list() }]);
        return;
      case 'modified':
        if (keyOf(change.previous) !== keyOf(change.object)) remove(change.previous);
        put(change.object);
        return;
      case 'added':
        put(change.object);
        return;
      case 'deleted':
        remove(change.object);
    }
  };
  const subscription = follow(watch.changes$, { task: 'splitting the objects of a watch', logger, next: handle });

  return {
    part(key) {
      const changes = createEmitter<ObjectChange<T>>();
      let part = partOf(key);
      part.changes.add(changes);
      return {
        start: () => watch.start(),
        get isSynced() {
          return isSynced;
        },
        list: () => part.copy.list(),
        find: (ref) => part.copy.find(ref),
        changes$: currentThenChanges(
          () => (isSynced ? [{ type: 'snapshot', objects: part.copy.list() } as const] : []),
          changes.values$,
        ),
        get problem() {
          return watch.problem;
        },
        async [Symbol.asyncDispose]() {
          changes.complete();
          part.changes.delete(changes);
          dropIfUnused(key, part);
          part = { copy: createObjectCopy<T>(), changes: new Set() };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      subscription.unsubscribe();
      for (const { changes } of parts.values()) for (const emitter of changes) emitter.complete();
      await watch[Symbol.asyncDispose]();
    },
  };
}
