import type { Clock, Timer } from '@rxlet/component-base';

/** Use of the node at one moment. */
export interface UseSample {
  /** Epoch milliseconds. */
  readonly timeMs: number;
  /** CPU time since the boot of the machine, in nanoseconds. */
  readonly cpuNanoseconds: number;
  readonly workingSetBytes: number;
}

/** The use of the node over the last hour. Disposing of it ends the sampling. */
export interface UseHistory extends Disposable {
  start(): void;
  /** Returns the samples, the oldest first. */
  samples(): readonly UseSample[];
}

/** Period of the samples. */
const PERIOD_MS = 30_000;
/** One hour. */
const MAX_SAMPLES = 121;

/** Creates a {@link UseHistory}. `measure` reads two files of the kernel; a moment that it cannot measure is left out. */
export function createUseHistory(clock: Clock, measure: () => UseSample | undefined): UseHistory {
  const samples: UseSample[] = [];
  let timer: Timer | undefined;
  const take = (): void => {
    timer = clock.setTimer(PERIOD_MS, take);
    let sample: UseSample | undefined;
    try {
      sample = measure();
    } catch {
      return;
    }
    if (sample === undefined) return;
    samples.push(sample);
    if (samples.length > MAX_SAMPLES) samples.shift();
  };
  return {
    start: take,
    samples: () => samples,
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
