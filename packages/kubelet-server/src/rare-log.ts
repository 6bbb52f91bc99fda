import type { Clock, LogFields } from '@rxlet/component-base';

/** Pause between two lines about the same matter. */
const PERIOD_MS = 60_000;

/** Log line about what clients may cause as often as they like: logged at most once a minute, with the number of times since the last one. */
export interface RareLog {
  /** Counts one time, and logs it with these fields unless the last line is too recent. */
  count(fields?: LogFields): void;
}

/** Creates a {@link RareLog}. `write` gets the fields, and the number of times as `times`. */
export function createRareLog(
  clock: Pick<Clock, 'monotonicNow'>,
  write: (fields: LogFields & { readonly times: number }) => void,
): RareLog {
  let times = 0;
  let lastMs = -Infinity;
  return {
    count(fields) {
      times += 1;
      const nowMs = clock.monotonicNow();
      if (nowMs - lastMs < PERIOD_MS) return;
      write({ ...fields, times });
      lastMs = nowMs;
      times = 0;
    },
  };
}
