import { describe, expect, it } from 'vitest';
import { differences } from './difference.ts';

describe('differences', () => {
  it.each<[unknown, unknown]>([
    [
      { a: 1, b: [{ c: 2, d: 3 }] },
      { b: [{ d: 3, c: 2 }], a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [null, null],
  ])('do not exist between %j and its equal', (got, want) => {
    expect(differences(got, want)).toEqual([]);
  });

  it.each<[string, unknown, unknown, string]>([
    ['a value', 1, 2, 'answer: got 1, want 2'],
    ['a type', { a: '1' }, { a: 1 }, 'a: got "1", want 1'],
    ['a missing field', {}, { a: { b: 1 } }, 'a: got (nothing), want {"b":1}'],
    ['a field too many', { a: null }, {}, 'a: got null, want (nothing)'],
    ['the order of a list', { a: [1, 2] }, { a: [2, 2] }, 'a[0]: got 1, want 2'],
    ['the end of a list', [[1]], [[1, 2]], '[0][1]: got (nothing), want 2'],
    ['a list and an object', [], {}, 'answer: got [], want {}'],
  ])('name %s', (_, got, want, difference) => {
    expect(differences(got, want)).toEqual([difference]);
  });

  it('distinguish integers of 64 bits from numbers', () => {
    expect(differences({ a: 1n }, { a: 1n })).toEqual([]);
    expect(differences({ a: 1n }, { a: 1 })).toEqual(['a: got "1n", want 1']);
  });

  it('stay bounded in length', () => {
    const long = differences({ a: 'x'.repeat(1000) }, {});
    expect(long).toHaveLength(1);
    expect(long[0]!.length).toBeLessThan(300);
    const many = differences(Array(100).fill(1), Array(100).fill(2));
    expect([many.length, many.at(-1)]).toEqual([9, 'and 92 more']);
  });
});
