import { describe, expect, it } from 'vitest';
import { FEATURE_GATES, type FeatureGateSpec } from './feature-gate-table.ts';
import { resolveFeatureGates } from './feature-gates.ts';

const table = new Map<string, FeatureGateSpec>([
  ['AllAlpha', { stage: 'Alpha', enabledByDefault: false }],
  ['AllBeta', { stage: 'Beta', enabledByDefault: false }],
  ['New', { stage: 'Alpha', enabledByDefault: false }],
  ['Tried', { stage: 'Beta', enabledByDefault: true }],
  ['Built', { stage: 'Beta', enabledByDefault: false, needs: ['Tried'] }],
  ['Done', { stage: 'GA', enabledByDefault: true, locked: true }],
]);

describe('resolveFeatureGates', () => {
  it('has the defaults of the table', () => {
    const { gates } = resolveFeatureGates({}, table);
    expect([...table.keys()].filter((name) => gates!.isEnabled(name))).toEqual(['Tried', 'Done']);
    expect(() => gates!.isEnabled('Nope')).toThrow('there is no feature gate "Nope"');
  });

  it('sets all gates of a stage that are not set themselves', () => {
    const { gates } = resolveFeatureGates({ AllAlpha: true, AllBeta: true, Built: false }, table);
    expect(['New', 'Tried', 'Built'].map((name) => gates!.isEnabled(name))).toEqual([true, true, false]);
    expect(resolveFeatureGates({ AllBeta: false }, table).gates!.isEnabled('Tried')).toBe(false);
  });

  it.each([
    [{ Nope: true }, ['unrecognized feature gate: Nope']],
    [{ Done: false }, ['cannot set feature gate Done to false, feature is locked to true']],
    [{ Built: true, Tried: false }, ['Built is enabled, but depends on features that are disabled: Tried']],
  ])('rejects %j', (values, problems) => {
    expect(resolveFeatureGates(values, table).problems).toEqual(problems);
  });

  it('accepts a locked gate with its default', () => {
    expect(resolveFeatureGates({ Done: true }, table).problems).toBeUndefined();
  });
});

describe('FEATURE_GATES', () => {
  it('is consistent by itself', () => {
    expect(resolveFeatureGates({}).problems).toBeUndefined();
    for (const [name, { needs = [] }] of FEATURE_GATES)
      for (const need of needs) expect(FEATURE_GATES.has(need), `${name} needs ${need}`).toBe(true);
  });

  it('can enable everything that is not finished', () => {
    expect(resolveFeatureGates({ AllAlpha: true, AllBeta: true }).problems).toBeUndefined();
  });
});
