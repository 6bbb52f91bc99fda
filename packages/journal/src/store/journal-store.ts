import type { JournalEntry, JournalSink } from '@rxlet/agent-api/journal';
import type { Clock } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import { defer, finalize, type Observable } from 'rxjs';
import type { Life } from '../model/life.ts';
import { beginLife, type RecordedLife, restoreLife } from '../model/recorded-life.ts';
import { entryBytes } from './entry-bytes.ts';

/** Bounds of {@link createJournalStore}. */
export interface JournalStoreLimits {
  /** Number of lives that are kept after their end. Default: 200. */
  readonly maxEndedLives?: number | undefined;
  /** Time for which a life is kept after its end. Default: one hour. */
  readonly endedLifeMs?: number | undefined;
}

/** The lives of the pods on the node, and the last ones of pods that are gone. */
export interface JournalStore {
  /** Applies an entry of the agent. */
  readonly apply: JournalSink;
  /** Returns the lives in the order in which they began. */
  lives(): readonly Life[];
  /** Returns the latest life of a pod, by its UID. */
  life(uid: string): Life | undefined;
  /** Returns the latest life of a pod, by its name. */
  find(namespace: string, name: string): Life | undefined;
  /** Entries after their application. Hot. */
  readonly changes$: Observable<JournalEntry>;
  /** Adds lives of an earlier run of the agent, and entries after them. Their open spans are interrupted; the pods may still be on the node. */
  restore(earlier: { readonly lives: readonly Life[]; readonly entries: readonly JournalEntry[] }): void;
  /** Ends the lives of all pods but these, as after a restart of the agent while a pod was removed. */
  retain(podUids: ReadonlySet<string>): void;
  close(): void;
}

const HOUR_MS = 3_600_000;
/** Bound of the entries that wait until the lives are read, in bytes. */
const MAX_PENDING_BYTES = 1024 * 1024;

/** Creates a {@link JournalStore}. A life takes 32 KiB at most (`MAX_LIFE_BYTES` of `@rxlet/journal/model`). */
export function createJournalStore(
  { clock }: { readonly clock: Clock },
  { maxEndedLives = 200, endedLifeMs = HOUR_MS }: JournalStoreLimits = {},
): JournalStore {
  /** Latest life of each UID. */
  const latest = new Map<string, RecordedLife>();
  /** All lives, by their ids, in the order in which they began. */
  const lives = new Map<string, RecordedLife>();
  const changes = createEmitter<JournalEntry>();

  /** Lives that have ended, in the order of their ends. */
  const ended = new Set<RecordedLife>();

  const forget = (life: RecordedLife): void => {
    ended.delete(life);
    lives.delete(life.id);
    if (latest.get(life.uid) === life) latest.delete(life.uid);
  };
  /** Forgets ended lives that are too many or too old. Runs when a life ends and when lives are read, so that no timer is needed. */
  const prune = (): void => {
    const oldestMs = clock.now() - endedLifeMs;
    for (const life of ended) {
      if (ended.size <= maxEndedLives && life.endMs! >= oldestMs) return;
      forget(life);
    }
  };
  const put = (life: RecordedLife): void => {
    lives.set(life.id, life);
    latest.set(life.uid, life);
    if (!life.isEnded) return;
    ended.add(life);
    prune();
  };

  /** @returns whether the entry belongs to a life */
  const applyQuietly = (entry: JournalEntry): boolean => {
    const life = latest.get(entry.uid);
    if (entry.type === 'begin' && entry.parentId === undefined && (life === undefined || life.isEnded)) {
      put(beginLife(entry));
      return true;
    }
    if (life === undefined) return false;
    life.apply(entry);
    if (life.isEnded && !ended.has(life)) {
      ended.add(life);
      prune();
    }
    return true;
  };

  /** Entries in order that no reader has needed yet. Together, they are applied at a fraction of the cost that each has in the midst of the start of pods. */
  let pending: JournalEntry[] = [];
  let pendingBytes = 0;
  const applyPending = (): void => {
    if (pending.length === 0) return;
    const entries = pending;
    pending = [];
    pendingBytes = 0;
    for (const entry of entries) applyQuietly(entry);
  };
  let followers = 0;

  return {
    apply(entry) {
      if (followers > 0) {
        if (applyQuietly(entry)) changes.emit(entry);
        return;
      }
      pending.push(entry);
      pendingBytes += entryBytes(entry);
      if (pendingBytes > MAX_PENDING_BYTES) applyPending();
    },
    lives() {
      applyPending();
      prune();
      return Array.from(lives.values(), (life) => life.snapshot());
    },
    life(uid) {
      applyPending();
      return latest.get(uid)?.snapshot();
    },
    find(namespace, name) {
      applyPending();
      return [...lives.values()].findLast((life) => life.namespace === namespace && life.name === name)?.snapshot();
    },
    changes$: defer(() => {
      applyPending();
      followers += 1;
      return changes.values$.pipe(finalize(() => void (followers -= 1)));
    }),
    restore({ lives: restored, entries }) {
      applyPending();
      for (const life of restored) put(restoreLife(life));
      for (const entry of entries) applyQuietly(entry);
      const nowMs = clock.now();
      const lastMs = Math.min(nowMs, entries.at(-1)?.atMs ?? nowMs);
      for (const life of lives.values()) {
        if (life.isEnded) continue;
        life.interrupt(lastMs);
        const id = `${life.id}-${String(Math.round(nowMs))}`;
        life.apply({ type: 'fact', id, parentId: life.id, uid: life.uid, atMs: nowMs, kind: 'agent.started' });
      }
    },
    retain(uids) {
      applyPending();
      for (const { id, uid, isEnded } of lives.values()) {
        if (isEnded || uids.has(uid)) continue;
        const entry: JournalEntry = { type: 'end', id, uid, atMs: clock.now(), outcome: { result: 'interrupted' } };
        if (applyQuietly(entry)) changes.emit(entry);
      }
    },
    close: () => changes.complete(),
  };
}
