import { fixedPointDifferences } from '../rest/fixed-point.ts';
import type { Plan } from '../workload/plan.ts';
import type { RunResult } from './run-plan.ts';

/**
 * Runs a plan, and again without the kills, stops and exceptions of the agent. Both must come to rest in the same state: each difference is a violation of the
 * result, which is that of the first run.
 *
 * @param run runs a plan
 */
export async function compareRuns(plan: Plan, run: (plan: Plan) => Promise<RunResult>): Promise<RunResult> {
  const steps = plan.steps.filter(({ step }) => !AGENT_STEPS.has(step.do));
  const result = await run(plan);
  if (steps.length === plan.steps.length || result.violations.length > 0) return result;
  const undisturbed = await run({ ...plan, steps });
  // A violation without restarts is that of another plan, which its own seed may find.
  if (result.fixedPoint === undefined || undisturbed.fixedPoint === undefined) return result;
  const violations = fixedPointDifferences(result.fixedPoint, undisturbed.fixedPoint).map((text) => ({
    property: 'restarts-change-nothing',
    atMs: result.virtualMs,
    text,
  }));
  return { ...result, violations };
}

const AGENT_STEPS: ReadonlySet<string> = new Set(['kill', 'stop', 'throw']);
