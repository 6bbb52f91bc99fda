import type { History } from '../history/history.ts';
import type { Workload } from '../workload/workloads.ts';

/** A rare state that some run must reach: a property that no run puts to the test is no property. */
export interface ReachedState {
  readonly name: string;
  /** Workloads whose runs can reach it. Default: all. */
  readonly workloads?: readonly Workload[];
  /** Whether it is a state of each node, or of the whole world. Default: `node`. */
  readonly scope?: 'node' | 'world';
  /** Returns how often a history reaches it. */
  count(history: History): number;
}

/** Returns a function that counts what a generator finds. */
export const countOf =
  (matches: (history: History) => Iterable<unknown>): ReachedState['count'] =>
  (history) =>
    [...matches(history)].length;
