import { createCurrentValue } from '@rxlet/component-base/streams';
import type { Observable } from 'rxjs';

/** Position of a reader in a {@link ChangeLog}. */
export interface Cursor {
  /** Identifies the log: a log of another life of the agent counts anew. */
  readonly epoch: string;
  readonly version: number;
}

/** Changes after a cursor. */
export interface ChangesSince<T> {
  readonly cursor: Cursor;
  /** Whether the changes are everything there is, because the log does not know what the reader has. */
  readonly isSnapshot: boolean;
  /** Latest values by key, `null` for one that is gone, in the order of their changes. */
  readonly changes: readonly (readonly [key: string, value: T | null])[];
}

/**
 * Keeps the latest value of each key, and which keys have gone. A reader is nothing but a cursor: one that does not keep up costs no memory, skips values that are
 * replaced meanwhile, and goes on where it was after a cut.
 */
export interface ChangeLog<T> {
  set(key: string, value: T): void;
  remove(key: string): void;
  /** Number of keys with a value. */
  size(): number;
  /** Returns the changes after `cursor`; everything for `undefined` and for a cursor that the log does not know. */
  since(cursor: Cursor | undefined): ChangesSince<T>;
  /** Version of the last change; emits the current one first. */
  readonly version$: Observable<number>;
  /** Completes {@link version$}. */
  close(): void;
}

/** Creates a {@link ChangeLog} that remembers the last `maxRemoved` keys that have gone. */
export function createChangeLog<T>(epoch: string, maxRemoved = 1000): ChangeLog<T> {
  // A changed key is inserted again, so that the order is that of the versions.
  const entries = new Map<string, { readonly version: number; readonly value: T | null }>();
  const version = createCurrentValue(0);
  /** Cursors before this version may miss keys that have gone. */
  let oldest = 0;
  let removed = 0;
  const record = (key: string, value: T | null): void => {
    if (entries.get(key)?.value === null) removed -= 1;
    entries.delete(key);
    const next = version.value + 1;
    entries.set(key, { version: next, value });
    if (value === null) {
      removed += 1;
      if (removed > maxRemoved) forgetOldestRemoved();
    }
    version.set(next);
  };
  const forgetOldestRemoved = (): void => {
    for (const [key, entry] of entries) {
      if (entry.value !== null) continue;
      entries.delete(key);
      removed -= 1;
      oldest = entry.version;
      return;
    }
  };
  return {
    set: record,
    remove(key) {
      if ((entries.get(key)?.value ?? null) !== null) record(key, null);
    },
    size: () => entries.size - removed,
    since(cursor) {
      const isKnown = cursor?.epoch === epoch && cursor.version >= oldest && cursor.version <= version.value;
      const after = isKnown ? cursor.version : 0;
      const changes: (readonly [string, T | null])[] = [];
      if (after < version.value) {
        for (const [key, entry] of entries) {
          if (entry.version > after && (isKnown || entry.value !== null)) changes.push([key, entry.value]);
        }
      }
      return { cursor: { epoch, version: version.value }, isSnapshot: !isKnown, changes };
    },
    version$: version.value$,
    close: () => version.complete(),
  };
}
