import { expect, it } from 'vitest';
import { createProgressMemory, progressIn } from './progress.ts';

it('the progress of a run is the same on all threads', () => {
  const memory = createProgressMemory();
  const [one, other] = [progressIn(memory), progressIn(memory)];
  expect([one.begin(), other.begin(), one.begin()]).toEqual([0, 1, 2]);
  one.ended(false);
  other.ended(true);
  expect([one.runs, one.failures]).toEqual([2, 1]);
  other.stop();
  expect(one.begin()).toBeUndefined();
});
