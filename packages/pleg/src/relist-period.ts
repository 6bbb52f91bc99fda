import type { Clock } from '@rxlet/component-base';
import type { ContainerHint, HintSource } from './container-hints.ts';
import { createHintAudit, type HintAudit } from './hint-audit.ts';

/** Options of {@link createRelistPeriod}. */
export interface RelistPeriodOptions {
  /** Period without hints. */
  readonly relistPeriodMs: number;
  /** Longest period with hints that are known to be complete. */
  readonly relistPeriodWithHintsMs: number;
}

/**
 * The pause between two full relists. While hints arrive it doubles with each relist that finds no change, and resets when one does. It grows to at most
 * twice the normal period until the hints have proven complete.
 */
export interface RelistPeriod {
  /** Records that the stream of a source was opened, or (`undefined`) lost. */
  follow(source: HintSource | undefined): void;
  /** Records that a full relist begins, which is the base line of the audit if the stream is open by now. */
  relistBegan(): void;
  /** Records that the full relist has succeeded, and whether it found changes that were not announced. */
  relistEnded(hasNews: boolean): void;
  /** Records a hint. */
  announced(hint: ContainerHint): void;
  /** Records that a listing shows a container or sandbox started or stopped. */
  found(change: Pick<ContainerHint, 'containerId' | 'kind'>): void;
  /** Current pause, in milliseconds. */
  currentMs(): number;
  /** Reports whether hints arrive. */
  readonly isFollowing: boolean;
}

/** Longest period, in multiples of the one without hints, while the hints are unproven. */
const UNPROVEN_GROWTH = 2;

/** Creates a {@link RelistPeriod}. */
export function createRelistPeriod(clock: Clock, options: RelistPeriodOptions): RelistPeriod {
  const { relistPeriodMs, relistPeriodWithHintsMs } = options;
  let source: HintSource | undefined;
  let audit: HintAudit | undefined;
  /** Whether every change since the audit's base line is found by a listing after it. */
  let isAuditing = false;
  let isFirstRelist = false;
  let periodMs = relistPeriodMs;

  const longestMs = (): number => {
    const isTrusted = audit?.isProven() === true || (source?.isComplete === true && audit?.hasMissed() === false);
    return isTrusted ? relistPeriodWithHintsMs : Math.min(UNPROVEN_GROWTH * relistPeriodMs, relistPeriodWithHintsMs);
  };

  return {
    follow(followed) {
      source = followed;
      audit = followed && createHintAudit(clock);
      isAuditing = false;
      isFirstRelist = false;
      periodMs = relistPeriodMs;
    },
    relistBegan() {
      isFirstRelist = source !== undefined;
    },
    relistEnded(hasNews) {
      // Changes from before the stream was open have no hints.
      if (isFirstRelist) isAuditing = true;
      periodMs = hasNews ? relistPeriodMs : Math.min(periodMs * 2, longestMs());
    },
    announced(hint) {
      audit?.announced(hint);
    },
    found(change) {
      if (isAuditing) audit?.found(change);
    },
    currentMs: () => (source === undefined ? relistPeriodMs : Math.min(periodMs, longestMs())),
    get isFollowing() {
      return source !== undefined;
    },
  };
}
