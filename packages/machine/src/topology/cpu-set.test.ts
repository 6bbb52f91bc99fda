import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCpuSet, isSameCpuSet, parseCpuSet, sortedCpus } from './cpu-set.ts';

describe('parseCpuSet', () => {
  it.each([
    ['', []],
    ['0', [0]],
    ['0-2,5', [0, 1, 2, 5]],
    ['7,1-1,3', [1, 3, 7]],
    ['+1-+2', [1, 2]],
  ])('reads %j', (text, cpus) => {
    expect(sortedCpus(parseCpuSet(text)!)).toEqual(cpus);
  });

  it.each(['a', '1.3', '-1', '3-1', '0-', ',', '1,', ' 1', '0-999999999'])('rejects %j', (text) => {
    expect(parseCpuSet(text)).toBeUndefined();
  });
});

describe('formatCpuSet', () => {
  it('joins neighbours to ranges', () => {
    expect(formatCpuSet([5, 0, 2, 1, 8, 9])).toBe('0-2,5,8-9');
    expect(formatCpuSet([])).toBe('');
  });

  it('writes what parseCpuSet reads', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300)), (cpus) => {
        expect(isSameCpuSet(parseCpuSet(formatCpuSet(cpus))!, new Set(cpus))).toBe(true);
      }),
    );
  });
});
