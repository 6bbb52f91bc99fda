import { type Clock, nowNanos } from '@rxlet/component-base';

/**
 * Reads the clock for a CRI timestamp: nanoseconds since the epoch, later than `after`.
 *
 * A clock may stand still (a virtual one) or tick only every millisecond, and callers order sandboxes and containers by these times. So readings
 * of one and the same instant differ by a nanosecond each. When the wall clock is set back, new timestamps follow it, but those of one object
 * still only grow.
 */
export type Timestamps = (after?: bigint) => bigint;

/** Creates {@link Timestamps} on `clock`. */
export function createTimestamps(clock: Clock): Timestamps {
  let lastReading = 0n;
  let sameReadings = 0n;
  return (after = 0n) => {
    const reading = nowNanos(clock);
    sameReadings = reading === lastReading ? sameReadings + 1n : 0n;
    lastReading = reading;
    const timestamp = reading + sameReadings;
    return timestamp > after ? timestamp : after + 1n;
  };
}
