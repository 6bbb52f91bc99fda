import type { Clock } from '@rxlet/component-base';

/** Suppresses repeated log lines. */
export interface LogReduction {
  /**
   * Reports whether an error must be logged: it is the first of its key, differs from the last one, or was logged longer ago than the interval.
   * @returns the number of equal errors that were suppressed since the last line; `undefined`: do not log
   */
  admit(key: string, message: string): number | undefined;
  /** Forgets a key after a success, so that its next error is logged. */
  clear(key: string): void;
  /** Number of keys in memory. */
  readonly size: number;
}

interface Entry {
  readonly message: string;
  readonly loggedMs: number;
  suppressed: number;
}

/** Creates a {@link LogReduction} that admits identical errors of one key once in `intervalMs`, and forgets older ones. */
export function createLogReduction(clock: Pick<Clock, 'monotonicNow'>, intervalMs: number): LogReduction {
  /** Oldest log line first. */
  const entries = new Map<string, Entry>();
  const forgetOld = (nowMs: number): void => {
    for (const [key, { loggedMs, suppressed }] of entries) {
      // Keys with suppressed errors stay for twice the interval.
      if (nowMs - loggedMs < (suppressed > 0 ? 2 : 1) * intervalMs) return;
      entries.delete(key);
    }
  };
  return {
    admit(key, message) {
      const nowMs = clock.monotonicNow();
      const last = entries.get(key);
      if (last?.message === message && nowMs - last.loggedMs < intervalMs) {
        last.suppressed += 1;
        return undefined;
      }
      entries.delete(key);
      forgetOld(nowMs);
      entries.set(key, { message, loggedMs: nowMs, suppressed: 0 });
      return last?.message === message ? last.suppressed : 0;
    },
    clear: (key) => void entries.delete(key),
    get size() {
      return entries.size;
    },
  };
}
