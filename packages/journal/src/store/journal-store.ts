import type { JournalEntry, JournalSink } from '@rxlet/agent-api/journal';
import type { Clock } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Observable } from 'rxjs';
import type { Life } from '../model/life.ts';
import { beginLife, type RecordedLife, restoreLife } from '../model/recorded-life.ts';

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
  /** Adds lives of earlier runs of the agent. Their open spans are interrupted; the pods may still be on the node. */
  restore(lives: readonly Life[], atMs: number): void;
  /** Returns the ids of the lives that have not ended. */
  openLives(): readonly Pick<RecordedLife, 'id' | 'uid'>[];
  close(): void;
}

const HOUR_MS = 3_600_000;

/** Creates a {@link JournalStore}. A life takes 32 KiB at most ({@link MAX_LIFE_BYTES}). */
export function createJournalStore(
  { clock }: { readonly clock: Clock },
  { maxEndedLives = 200, endedLifeMs = HOUR_MS }: JournalStoreLimits = {},
): JournalStore {
  /** Latest life of each UID. */
  const latest = new Map<string, RecordedLife>();
  /** All lives, by their ids, in the order in which they began. */
  const lives = new Map<string, RecordedLife>();
  const changes = createEmitter<JournalEntry>();

  const forget = (life: RecordedLife): void => {
    lives.delete(life.id);
    if (latest.get(life.uid) === life) latest.delete(life.uid);
  };
  /** Forgets ended lives that are too many or too old. Runs when a life begins or ends and when lives are read, so that no timer is needed. */
  const prune = (): void => {
    const ended = [...lives.values()].filter(({ isEnded }) => isEnded);
    const oldestMs = clock.now() - endedLifeMs;
    const byEnd = ended.toSorted((a, b) => a.endMs! - b.endMs!);
    byEnd.forEach((life, index) => {
      if (life.endMs! < oldestMs || byEnd.length - index > maxEndedLives) forget(life);
    });
  };
  const put = (life: RecordedLife): void => {
    lives.set(life.id, life);
    latest.set(life.uid, life);
    prune();
  };

  return {
    apply(entry) {
      const life = latest.get(entry.uid);
      if (entry.type === 'begin' && entry.parentId === undefined && (life === undefined || life.isEnded)) {
        put(beginLife(entry));
      } else if (life === undefined) return;
      else {
        life.apply(entry);
        if (life.isEnded) prune();
      }
      changes.emit(entry);
    },
    lives() {
      prune();
      return Array.from(lives.values(), (life) => life.snapshot());
    },
    life: (uid) => latest.get(uid)?.snapshot(),
    find: (namespace, name) =>
      [...lives.values()].findLast((life) => life.namespace === namespace && life.name === name)?.snapshot(),
    changes$: changes.values$,
    restore(restored, atMs) {
      for (const life of restored) {
        const continued = restoreLife(life);
        if (!continued.isEnded) continued.interrupt(atMs);
        put(continued);
      }
    },
    openLives: () => [...lives.values()].filter(({ isEnded }) => !isEnded),
    close: () => changes.complete(),
  };
}
