import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textTimeline } from '../report/failure-report.ts';
import { generatePlan } from '../workload/generate-plan.ts';
import type { Plan } from '../workload/plan.ts';
import { type Workload, WORKLOADS } from '../workload/workloads.ts';
import { compareRuns } from './compare-runs.ts';
import { runPlan, type RunResult } from './run-plan.ts';

/** Plans that once failed, each shrunk, with what was wrong. */
const failed = JSON.parse(
  readFileSync(new URL('../regressions/failed-plans.json', import.meta.url), 'utf8'),
) as readonly { readonly about: string; readonly plan: Plan }[];

const seedsOf: Readonly<Record<Workload, readonly number[]>> = {
  standard: [1, 2, 3, 4, 5, 6, 7, 8],
  cluster: [1, 2, 3, 4],
  extended: [1, 2, 3, 4],
  nodes: [1, 2, 3, 4],
};

function problemsOf({ violations }: RunResult): readonly string[] {
  return violations.map(({ property, text }) => `${property}: ${text}`);
}

describe.each(WORKLOADS)('an agent in a storm of the workload %s', (workload) => {
  it.each(seedsOf[workload])('keeps all properties with seed %i', async (seed) => {
    expect(problemsOf(await runPlan(generatePlan(seed, { workload })))).toEqual([]);
  });

  it('comes to rest in the same state as without restarts', async () => {
    expect(problemsOf(await compareRuns(generatePlan(3, { workload }), (plan) => runPlan(plan)))).toEqual([]);
  });

  it('does the same each time', async () => {
    const plan = generatePlan(11, { workload });
    expect(textTimeline(await runPlan(plan))).toEqual(textTimeline(await runPlan(plan)));
  });
});

describe('an agent in a storm that once broke it', () => {
  it.each(failed)('keeps all properties: $about', async ({ plan }) => {
    expect(problemsOf(await runPlan(plan))).toEqual([]);
  });
});
