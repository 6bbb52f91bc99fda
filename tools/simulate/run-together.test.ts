import { describe, expect, it } from 'vitest';
import { sumOf } from './run-together.ts';

describe('threads of the simulator', () => {
  it('add up their virtual time and the states that these reached', () => {
    expect(
      sumOf([
        { virtualMs: 10, reached: new Map([['a', 1]]) },
        {
          virtualMs: 20,
          reached: new Map([
            ['a', 2],
            ['b', 0],
          ]),
        },
      ]),
    ).toEqual({
      virtualMs: 30,
      reached: new Map([
        ['a', 3],
        ['b', 0],
      ]),
    });
  });
});
