import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveGracePeriodSeconds } from './effective-grace-period.ts';

describe('effectiveGracePeriodSeconds', () => {
  const deletedIn = (seconds: number) =>
    testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: seconds } });
  it.each([
    ['the spec', testPod(), undefined, undefined, 30],
    ['the deletion', deletedIn(10), undefined, undefined, 10],
    ['an override', testPod(), undefined, 5, 5],
    ['a shorter override than the deletion', deletedIn(10), undefined, 5, 5],
    ['the deletion, shorter than the override', deletedIn(3), undefined, 5, 3],
    ['what applies already, when nothing is shorter', deletedIn(60), 20, 25, 20],
    ['one second instead of none', deletedIn(0), undefined, undefined, 1],
    ['one second instead of an override of none', testPod(), 20, 0, 1],
    ['one second for an unknown pod', undefined, undefined, undefined, 1],
    ['one second for a pod without a spec', {}, undefined, undefined, 1],
  ])('is that of %s', (_title, pod, current, override, seconds) => {
    expect(effectiveGracePeriodSeconds(pod, current, override)).toBe(seconds);
  });

  it('only ever shrinks', () => {
    const seconds = fc.option(fc.nat(100), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), seconds, seconds, (current, deletion, override) => {
        const pod = deletion === undefined ? testPod() : deletedIn(deletion);
        const next = effectiveGracePeriodSeconds(pod, current, override);
        expect(next).toBeLessThanOrEqual(current);
        expect(next).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
