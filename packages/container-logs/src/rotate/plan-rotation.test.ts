import { expect, it } from 'vitest';
import { planRotation, rotatedName } from './plan-rotation.ts';

const T = (second: number): string => `0.log.20260101-00000${String(second)}`;

it.each([
  [[], 5, [], []],
  [[T(1)], 5, [], [T(1)]],
  [[T(2), `${T(1)}.gz`], 5, [], [T(2)]],
  // One more rotated file is about to come, and there is the log itself.
  [[`${T(1)}.gz`, `${T(2)}.gz`, `${T(3)}.gz`, T(4)], 5, [`${T(1)}.gz`], [T(4)]],
  [[`${T(1)}.gz`, T(2)], 2, [`${T(1)}.gz`, T(2)], []],
  [[`${T(1)}.gz`, T(2)], 3, [`${T(1)}.gz`], [T(2)]],
  // A compression that was interrupted at its start, and one at its end.
  [[T(1), `${T(1)}.tmp`], 5, [`${T(1)}.tmp`], [T(1)]],
  [[T(1), `${T(1)}.gz`], 5, [T(1)], []],
  [[T(1), `${T(1)}.gz`, `${T(1)}.tmp`], 2, [T(1), `${T(1)}.tmp`, `${T(1)}.gz`], []],
])('plans %j with at most %i files: removes %j, compresses %j', (names, maxFiles, remove, compress) => {
  expect(planRotation(names, maxFiles)).toEqual({ remove, compress });
});

it.each([
  [[], '0.log.20260102-030405'],
  [['0.log', '0.log.20260102-030404'], '0.log.20260102-030405'],
  [['0.log.20260102-030405'], '0.log.20260102-030406'],
  [['0.log.20260102-030405.gz', '0.log.20260102-030406.tmp'], '0.log.20260102-030407'],
])('next to %j the log becomes %s', (taken, name) => {
  expect(rotatedName('0.log', taken, Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe(name);
});
