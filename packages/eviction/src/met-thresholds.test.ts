import { parseQuantity } from '@rxlet/pod-model/quantity';
import { describe, expect, it } from 'vitest';
import { byUrgency, mergeThresholds, thresholdsMet } from './met-thresholds.ts';
import { observe } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import { summary } from './test-support.ts';

const threshold = (changes: Partial<Threshold> = {}): Threshold => ({
  signal: 'memory.available',
  value: { quantity: parseQuantity('1Gi') },
  gracePeriodMs: 0,
  ...changes,
});
const share = (value: number): Threshold['value'] => ({ share: value });

describe('thresholdsMet', () => {
  const met = (one: Threshold, memoryMi: number, withMinReclaim = false): boolean =>
    thresholdsMet([one], observe(summary({ memoryMi })), { withMinReclaim }).length > 0;

  it('returns those of which less is available, in amounts or in shares of 8 GiB', () => {
    expect([1023, 1024].map((memoryMi) => met(threshold(), memoryMi))).toEqual([true, false]);
    expect([2047, 2048].map((memoryMi) => met(threshold({ value: share(0.25) }), memoryMi))).toEqual([true, false]);
  });

  it('adds the minimum reclaim on request', () => {
    const reclaiming = threshold({ minReclaim: { quantity: parseQuantity('1Gi') } });
    expect([1023, 1024].map((memoryMi) => met(reclaiming, memoryMi))).toEqual([true, false]);
    expect([2047, 2048].map((memoryMi) => met(reclaiming, memoryMi, true))).toEqual([true, false]);
    expect(met(threshold(), 1024, true)).toBe(false);
  });

  it('leaves out those that were not observed', () => {
    expect(thresholdsMet([threshold()], new Map(), { withMinReclaim: false })).toEqual([]);
  });
});

describe('mergeThresholds', () => {
  it.each<[string, Threshold, Threshold]>([
    ['signals', threshold(), threshold({ signal: 'nodefs.available' })],
    ['grace periods', threshold(), threshold({ gracePeriodMs: 1 })],
    ['amounts', threshold(), threshold({ value: { quantity: parseQuantity('2Gi') } })],
    ['shares', threshold({ value: share(0.1) }), threshold({ value: share(0.2) })],
    ['kinds of values', threshold({ value: share(0.1) }), threshold()],
  ])('keeps thresholds with different %s', (_title, one, other) => {
    expect(mergeThresholds([one], [other])).toEqual([one, other]);
    expect(mergeThresholds([other], [one])).toEqual([other, one]);
  });

  it.each<[string, Threshold, Threshold]>([
    ['amounts, however they are written', threshold(), threshold({ value: { quantity: parseQuantity('1024Mi') } })],
    ['shares', threshold({ value: share(0.1) }), threshold({ value: share(0.1) })],
  ])('adds no threshold twice: by equal %s', (_title, one, other) => {
    const third = threshold({ signal: 'pid.available' });
    expect(mergeThresholds([third, one], [other])).toEqual([third, one]);
  });
});

it('orders thresholds by urgency: memory first, and hard ones before soft ones', () => {
  const disk = threshold({ signal: 'nodefs.available' });
  const softDisk = threshold({ signal: 'nodefs.available', gracePeriodMs: 1 });
  const soft = threshold({ gracePeriodMs: 1 });
  const allocatable = threshold({ signal: 'allocatableMemory.available' });
  const ordered = [threshold(), allocatable, soft, disk, softDisk];
  expect(byUrgency([softDisk, disk, soft, threshold(), allocatable])).toEqual(ordered);
  expect(byUrgency([threshold(), allocatable, disk, soft, softDisk])).toEqual(ordered);
});
