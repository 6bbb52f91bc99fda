import { expect, it } from 'vitest';
import { attemptsWithoutCredentials, withTimesOf } from './attempts.ts';

const attempts = (method: string, path: string, times: readonly number[]) =>
  attemptsWithoutCredentials(
    times.map((t) => ({ t, method, path, query: '', client: 'none' })),
    40,
  );

it.each([
  ['a delay that is not random', 'POST', '/api/v1/nodes', [1, 1.2, 1.6, 2.4], [3, 3.2, 3.6, 6]],
  ['the number', 'GET', '/api/v1/services', [1, 2, 4, 8], [1, 2]],
])('attempts differ by %s', (_, method, path, times, others) => {
  const [mine, other] = [attempts(method, path, times), attempts(method, path, others)];
  expect(withTimesOf(mine, mine)).toEqual(mine);
  expect(withTimesOf(mine, other)).not.toEqual(other);
});

it('random delays may differ, and attempts with credentials do not count', () => {
  const [mine, other] = [attempts('GET', '/watch', [1, 2, 4, 8]), attempts('GET', '/watch', [1, 3, 5, 7])];
  expect(withTimesOf(mine, other)).toEqual(other);
  expect(attemptsWithoutCredentials([{ t: 1, method: 'GET', path: '/', query: '', client: 'bearer' }], 40)).toEqual({});
});
