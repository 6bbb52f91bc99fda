import { describe, expect, it } from 'vitest';
import { KUBELET_MODULES } from '../modules.ts';
import { isReloadable, modulesOf } from './effects.ts';
import { planReload } from './plan-reload.ts';

describe('planReload', () => {
  it('separates what takes effect at once from what needs a restart', () => {
    const before = { configuration: { evictionSoft: { 'memory.available': '1Gi' }, maxPods: 110, clusterDomain: 'a' } };
    const after = { configuration: { evictionSoft: { 'memory.available': '2Gi' }, maxPods: 50, clusterDomain: 'b' } };
    expect(planReload(before, after)).toEqual({
      applied: ['maxPods', 'evictionSoft'],
      modules: ['node-status', 'node-admission', 'eviction'],
      // The cgroups of all pods have their limits since the start.
      needRestart: ['clusterDomain', 'maxPods'],
    });
  });

  it('finds no difference between equal configurations', () => {
    const configuration = { logging: { verbosity: 4 }, evictionHard: { 'memory.available': '5%' } };
    expect(planReload({ configuration }, { configuration: structuredClone(configuration) })).toEqual({
      applied: [],
      modules: [],
      needRestart: [],
    });
  });
});

it('reloads fields of their own module alone', () => {
  const entries = KUBELET_MODULES.flatMap((entry) => (typeof entry === 'function' ? [] : [entry]));
  const reloadable = entries.flatMap(({ name, reloadableFields = [] }) =>
    reloadableFields.map((field) => [name, field]),
  );
  expect(reloadable.length).toBeGreaterThan(5);
  for (const [name = '', field = ''] of reloadable) {
    expect(modulesOf(field)).toContain(name);
    expect(isReloadable(name, field)).toBe(true);
  }
});
