import type { Clock } from '@rxlet/component-base';

/** Decides which errors are worth a line. */
export interface LogReduction {
  /**
   * Whether an error is to be logged: its key has none yet, had another one, or logged this one a while ago.
   * @returns how many of its like were not logged since the last line; `undefined`: do not log
   */
  admit(key: string, message: string): number | undefined;
  /** The key is well again: its next error is logged. */
  clear(key: string): void;
  /** How many keys are remembered. */
  readonly size: number;
}

interface Entry {
  readonly message: string;
  readonly loggedMs: number;
  suppressed: number;
}

/** Creates a {@link LogReduction} that lets identical errors of one key through once in `intervalMs`; what is older than that it forgets. */
export function createLogReduction(clock: Pick<Clock, 'monotonicNow'>, intervalMs: number): LogReduction {
  /** The one logged longest ago comes first. */
  const entries = new Map<string, Entry>();
  const forgetOld = (nowMs: number): void => {
    for (const [key, { loggedMs, suppressed }] of entries) {
      // Those with something left to tell get as long again.
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
