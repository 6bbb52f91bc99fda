/** Progress of a run. Its threads share it. */
export interface Progress {
  /** Number of seeds that have been run. */
  readonly runs: number;
  /** Number of those that have failed. */
  readonly failures: number;
  /** Returns the place of the next seed, from 0 on; `undefined` once no more may begin. */
  begin(): number | undefined;
  /** Records the end of a seed. */
  ended(hasFailed: boolean): void;
  /** Lets no more seeds begin, on any thread. */
  stop(): void;
}

const BEGUN = 0;
const ENDED = 1;
const FAILED = 2;
const IS_STOPPED = 3;

/** Returns memory for {@link progressIn}. */
export function createProgressMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT);
}

/** Returns the progress in memory that threads share. */
export function progressIn(memory: SharedArrayBuffer): Progress {
  const counts = new Int32Array(memory);
  return {
    get runs() {
      return Atomics.load(counts, ENDED);
    },
    get failures() {
      return Atomics.load(counts, FAILED);
    },
    begin: () => (Atomics.load(counts, IS_STOPPED) === 0 ? Atomics.add(counts, BEGUN, 1) : undefined),
    ended(hasFailed) {
      Atomics.add(counts, ENDED, 1);
      if (hasFailed) Atomics.add(counts, FAILED, 1);
    },
    stop: () => void Atomics.store(counts, IS_STOPPED, 1),
  };
}
