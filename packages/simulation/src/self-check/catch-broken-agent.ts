import { runPlan } from '../run/run-plan.ts';
import { generatePlan } from '../workload/generate-plan.ts';
import type { BrokenAgent } from './broken-agent.ts';

/** Result of {@link catchBrokenAgent}. */
export interface Caught {
  /** Number of seeds that were run. */
  readonly seeds: number;
  /** The property that was violated first. */
  readonly property: string;
  readonly text: string;
}

/** Runs seeds until one exposes the defect of an agent. @returns `undefined` when none of the stated number of seeds does */
export async function catchBrokenAgent(broken: BrokenAgent, firstSeed: number): Promise<Caught | undefined> {
  const { seeds, workload = 'standard', properties } = broken;
  for (let run = 0; run < seeds; run += 1) {
    const { violations } = await runPlan(generatePlan(firstSeed + run, { workload }), { assembly: broken.assembly() });
    const found = violations.find(({ property }) => properties.includes(property));
    if (found !== undefined) return { seeds: run + 1, property: found.property, text: found.text };
  }
  return undefined;
}
