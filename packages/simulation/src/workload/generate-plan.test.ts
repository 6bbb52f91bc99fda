import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../faults/fault-kinds.ts';
import { PART_KINDS } from '../parts/part-kinds.ts';
import { generatePlan } from './generate-plan.ts';
import { WORKLOADS } from './workloads.ts';

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

describe('a plan', () => {
  it('is determined by its seed', () => {
    expect(generatePlan(7, { workload: 'cluster' })).toEqual(generatePlan(7, { workload: 'cluster' }));
    expect(generatePlan(7)).not.toEqual(generatePlan(8));
  });

  it.each(WORKLOADS)('is plain data in the order of time, within its duration, for the workload %s', (workload) => {
    for (const seed of seeds) {
      const plan = generatePlan(seed, { workload });
      expect(structuredClone(plan)).toEqual(plan);
      const times = plan.steps.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.every((ms) => ms >= 0 && ms <= plan.durationMs)).toBe(true);
    }
  });

  it('enables each kind of faults with some seeds, and never all at once', () => {
    const enabled = seeds.map((seed) => generatePlan(seed, { workload: 'extended' }).faults);
    expect(new Set(enabled.flat())).toEqual(new Set(FAULT_KINDS.map(({ name }) => name)));
    expect(Math.max(...enabled.map(({ length }) => length))).toBeLessThan(FAULT_KINDS.length / 2);
    expect(enabled.some(({ length }) => length < 2)).toBe(true);
  });

  it('enables each part of the workload extended with some seeds, and kills agents in some shutdowns', () => {
    const plans = seeds.map((seed) => generatePlan(seed, { workload: 'extended' }));
    expect(new Set(plans.flatMap(({ parts = [] }) => parts))).toEqual(new Set(PART_KINDS.map(({ name }) => name)));
    const met = plans.filter(({ steps }) =>
      steps.some(
        ({ atMs, step }, index) =>
          step.do === 'shutdown' &&
          steps.slice(index).some((other) => other.step.do === 'kill' && other.atMs - atMs <= 8_000),
      ),
    );
    expect(met.length).toBeGreaterThan(seeds.length / 20);
  });

  it('has no step of an API server for a standalone agent', () => {
    const kinds = new Set(seeds.flatMap((seed) => generatePlan(seed).steps.map(({ step }) => step.do)));
    for (const kind of ['create', 'delete', 'api-fault', 'watches', 'node-gone'] as const)
      expect(kinds).not.toContain(kind);
    expect(kinds).toContain('kill');
  });
});
