import { describe, expect, it } from 'vitest';
import { generatePlan } from '../workload/generate-plan.ts';
import type { Plan } from '../workload/plan.ts';
import type { RunResult } from './run-plan.ts';
import { shrink } from './shrink.ts';

const plan = generatePlan(5);
/** The two steps that a pretended failure needs. */
const needed = [plan.steps[3]!, plan.steps.at(-2)!];

async function run(of: Plan): Promise<RunResult> {
  const fails = needed.every((step) => of.steps.includes(step));
  const violations = fails
    ? [{ property: 'broken', atMs: 0, text: 'both steps' }]
    : [{ property: 'other', atMs: 0, text: 'another' }];
  return { plan: of, violations, history: [], virtualMs: 0 };
}

describe('shrinking', () => {
  it('leaves only what the failure needs', async () => {
    const { plan: small } = await shrink(await run(plan), run);
    expect(small.steps).toEqual(needed);
    expect(small.lasting).toBeUndefined();
    expect(small.world).toMatchObject({ latencyMs: 0, hasEvents: true });
  });

  it('spends no more runs than it may', async () => {
    let runs = 0;
    const counted = (of: Plan): Promise<RunResult> => {
      runs += 1;
      return run(of);
    };
    await shrink(await run(plan), counted, { maxRuns: 5 });
    expect(runs).toBe(5);
  });

  it('rejects a run that did not fail', async () => {
    await expect(shrink({ plan, violations: [], history: [], virtualMs: 0 }, run)).rejects.toThrow(
      'without a violation',
    );
  });
});
