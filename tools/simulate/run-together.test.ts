import { describe, expect, it } from 'vitest';
import { sumOf } from './run-together.ts';

describe('threads of the simulator', () => {
  it('add up their runs and the states that these reached', () => {
    expect(
      sumOf([
        { runs: 2, virtualMs: 10, failures: 0, reached: new Map([['a', 1]]) },
        {
          runs: 3,
          virtualMs: 20,
          failures: 1,
          reached: new Map([
            ['a', 2],
            ['b', 0],
          ]),
        },
      ]),
    ).toEqual({
      runs: 5,
      virtualMs: 30,
      failures: 1,
      reached: new Map([
        ['a', 3],
        ['b', 0],
      ]),
    });
  });
});
