import { createReachedCounter, reachableStates, type ReachedCounter } from '../reached/reached-states.ts';
import { generatePlan } from '../workload/generate-plan.ts';
import type { Workload } from '../workload/workloads.ts';
import { runPlan, type RunOptions, type RunResult } from './run-plan.ts';

/** Options of {@link simulate}. */
export interface SimulateOptions extends RunOptions {
  /** Seeds to run. They may be endless, when `onResult` ends the simulation. */
  readonly seeds: Iterable<number>;
  readonly workload?: Workload;
  /** Called after each run. The simulation ends when it returns false. */
  readonly onResult?: (result: RunResult) => boolean | void | Promise<boolean | void>;
}

/** Result of a simulation. */
export interface SimulationResult {
  /** Number of runs. */
  readonly runs: number;
  /** Virtual time of all runs, in milliseconds. */
  readonly virtualMs: number;
  /** Seeds of runs with a violation. */
  readonly failedSeeds: readonly number[];
  readonly reached: ReachedCounter;
}

/**
 * Runs the plans of seeds one after the other, and checks all properties.
 *
 * @example
 * ```ts
 * import { simulate } from '@rxlet/simulation';
 *
 * const { failedSeeds } = await simulate({ seeds: [1, 2, 3] });
 * console.log(failedSeeds);
 * ```
 */
export async function simulate({ seeds, workload, onResult, ...options }: SimulateOptions): Promise<SimulationResult> {
  const reached = createReachedCounter(reachableStates([workload ?? 'standard']));
  const failedSeeds: number[] = [];
  let runs = 0;
  let virtualMs = 0;
  for (const seed of seeds) {
    const result = await runPlan(generatePlan(seed, workload === undefined ? {} : { workload }), options);
    runs += 1;
    virtualMs += result.virtualMs;
    reached.add(result.history);
    if (result.violations.length > 0) failedSeeds.push(seed);
    if ((await onResult?.(result)) === false) break;
  }
  return { runs, virtualMs, failedSeeds, reached };
}
