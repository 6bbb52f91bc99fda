import type { Clock } from '@rxlet/component-base';
import type { ContainerHint } from './container-hints.ts';

/** Compares the changes that listings find with the hints, to determine whether every change is announced. */
export interface HintAudit {
  /** Records a hint. */
  announced(hint: Pick<ContainerHint, 'containerId' | 'kind'>): void;
  /** Records a change that a listing found. Its hint may come before or after. */
  found(change: Pick<ContainerHint, 'containerId' | 'kind'>): void;
  /** Reports whether all of the last changes, at least {@link CHANGES_TO_TRUST}, were announced. A missed change makes the count start again. */
  isProven(): boolean;
  /** Reports whether any change was missed since the audit began. */
  hasMissed(): boolean;
}

/** Number of consecutive announced changes that prove a source. A source that loses half of its events passes once in a million tries. */
export const CHANGES_TO_TRUST = 20;
/** Longest time from a change being listed to its hint. */
const LATE_HINT_MS = 5_000;
/** Longest time from a hint to the listing that shows its change. */
const EARLY_HINT_MS = 10_000;

/** Creates a {@link HintAudit}. Its size is bounded by the containers that change within {@link EARLY_HINT_MS}. */
export function createHintAudit(clock: Pick<Clock, 'monotonicNow'>): HintAudit {
  /** Times of hints without a change, and of changes without a hint; oldest first. */
  const hints = new Map<string, number>();
  const changes = new Map<string, number>();
  let announcedInARow = 0;
  let missed = false;

  const keyOf = ({ containerId, kind }: Pick<ContainerHint, 'containerId' | 'kind'>): string =>
    `${kind} ${containerId}`;
  const expire = (): void => {
    const nowMs = clock.monotonicNow();
    for (const [key, atMs] of hints) {
      if (nowMs - atMs <= EARLY_HINT_MS) break;
      hints.delete(key);
    }
    for (const [key, atMs] of changes) {
      if (nowMs - atMs <= LATE_HINT_MS) break;
      changes.delete(key);
      announcedInARow = 0;
      missed = true;
    }
  };

  return {
    announced(hint) {
      expire();
      const key = keyOf(hint);
      if (changes.delete(key)) {
        announcedInARow += 1;
        return;
      }
      hints.delete(key);
      hints.set(key, clock.monotonicNow());
    },
    found(change) {
      expire();
      const key = keyOf(change);
      if (hints.delete(key)) announcedInARow += 1;
      else changes.set(key, clock.monotonicNow());
    },
    isProven() {
      expire();
      return announcedInARow >= CHANGES_TO_TRUST;
    },
    hasMissed() {
      expire();
      return missed;
    },
  };
}
