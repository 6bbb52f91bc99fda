import type { Plan } from '../workload/plan.ts';
import type { RunResult } from './run-plan.ts';

/** Options of {@link shrink}. */
export interface ShrinkOptions {
  /** Runs that may be spent. Default 300. */
  readonly maxRuns?: number;
}

/**
 * Returns a smaller plan that violates the same property first: steps are left out, from halves to single ones, then properties of the world are made simple.
 *
 * @param run runs a plan
 */
export async function shrink(
  failed: RunResult,
  run: (plan: Plan) => Promise<RunResult>,
  { maxRuns = 300 }: ShrinkOptions = {},
): Promise<RunResult> {
  const property = failed.violations[0]?.property;
  if (property === undefined) throw new Error('a run without a violation cannot be shrunk');
  let best = failed;
  let runs = 0;
  /** Takes over a plan that fails in the same way. */
  const attempt = async (plan: Plan): Promise<boolean> => {
    if (runs >= maxRuns) return false;
    runs += 1;
    const result = await run(plan);
    if (result.violations[0]?.property !== property) return false;
    best = result;
    return true;
  };
  const { lasting: _lasting, ...endingFaults } = best.plan;
  if (best.plan.lasting !== undefined) await attempt(endingFaults);
  for (let size = Math.ceil(best.plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < best.plan.steps.length && runs < maxRuns;) {
      const steps = best.plan.steps.toSpliced(start, size);
      if (!(await attempt({ ...best.plan, steps }))) start += size;
    }
  }
  for (const simple of [
    { latencyMs: 0 },
    { apiLatencyMs: 0 },
    { hasEvents: true },
    { hasOfflineCache: false },
    { hasStreamingLists: true },
  ])
    await attempt({ ...best.plan, world: { ...best.plan.world, ...simple } });
  return best;
}
