import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

describe('parseLabelSelector', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    ['a=1', { a: '1' }, true],
    ['a==1', { a: '2' }, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['! a', {}, true],
    ['a=', { a: '' }, true],
    ['a in (1,2)', { a: '2' }, true],
    ['a in (1, 2),b', { a: '2' }, false],
    ['a notin (1,2)', { a: '1' }, false],
    ['a notin (1,2)', {}, true],
    ['example.com/a-b.c_d=x', { 'example.com/a-b.c_d': 'x' }, true],
    ['constructor', {}, false],
  ])('%j of %j is %s', (selector, labels, expected) => {
    expect(parseLabelSelector(selector)(labels)).toBe(expected);
  });

  it.each(['a b', 'a in 1', '=1', 'a,,b', 'a=1=2'])('rejects %j', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow('unable to parse requirement');
  });
});

describe('parseFieldSelector', () => {
  it('reads comparisons with escaped values', () => {
    expect(parseFieldSelector(String.raw`a.b=x\,y,c!=d,e==`)).toEqual([
      { field: 'a.b', isNegated: false, value: 'x,y' },
      { field: 'c', isNegated: true, value: 'd' },
      { field: 'e', isNegated: false, value: '' },
    ]);
    expect(() => parseFieldSelector('a')).toThrow("can't understand 'a'");
  });
});
