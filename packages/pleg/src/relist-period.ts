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

/** An open stream of hints. */
interface FollowedStream {
  readonly isComplete: boolean;
  readonly audit: HintAudit;
  /** Whether a full relist since the opening has succeeded. Changes from before the stream was open have no hints, so that the audit begins only then. */
  hasBaseLine: boolean;
}

/** Creates a {@link RelistPeriod}. */
export function createRelistPeriod(clock: Clock, options: RelistPeriodOptions): RelistPeriod {
  const { relistPeriodMs, relistPeriodWithHintsMs } = options;
  let followed: FollowedStream | undefined;
  /** The stream that was open when the latest full relist began. */
  let relisted: FollowedStream | undefined;
  let periodMs = relistPeriodMs;

  const longestMs = ({ isComplete, audit }: FollowedStream): number => {
    const isTrusted = audit.isProven() || (isComplete && !audit.hasMissed());
    return isTrusted ? relistPeriodWithHintsMs : Math.min(UNPROVEN_GROWTH * relistPeriodMs, relistPeriodWithHintsMs);
  };

  return {
    follow(source) {
      followed = source && {
        isComplete: source.isComplete === true,
        audit: createHintAudit(clock),
        hasBaseLine: false,
      };
      periodMs = relistPeriodMs;
    },
    relistBegan() {
      relisted = followed;
    },
    relistEnded(hasNews) {
      if (followed === undefined) return;
      if (relisted === followed) followed.hasBaseLine = true;
      periodMs = hasNews ? relistPeriodMs : Math.min(periodMs * 2, longestMs(followed));
    },
    announced(hint) {
      followed?.audit.announced(hint);
    },
    found(change) {
      if (followed?.hasBaseLine === true) followed.audit.found(change);
    },
    currentMs: () => (followed === undefined ? periodMs : Math.min(periodMs, longestMs(followed))),
    get isFollowing() {
      return followed !== undefined;
    },
  };
}
