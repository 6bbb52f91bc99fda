import { describe, expect, it } from 'vitest';
import { toPlainJson } from './json-value.ts';
import { parseText } from './parse-text.ts';

const parse = (source: string): unknown => toPlainJson(parseText(source).value);

describe('parseText', () => {
  it.each([
    ['a: 017', { a: 15 }],
    ['a: +5', { a: 5 }],
    ['a: 1.0', { a: 1 }],
    ['a: yes\nb: off', { a: true, b: false }],
    ['a: 12:30', { a: '12:30' }],
    ['a: 2026-01-01', { a: '2026-01-01' }],
    ['a: ~', { a: null }],
    ['---\na: 1\n---\na: 2', { a: 1 }],
    ['base: &b {i: 1, j: 2}\nmore: {<<: *b, j: 3}', { base: { i: 1, j: 2 }, more: { i: 1, j: 3 } }],
    ['{"a": [1, 2.5, null]}', { a: [1, 2.5, null] }],
    ['', null],
  ])('reads %j as the kubelet does', (source, value) => {
    expect(parse(source)).toEqual(value);
  });

  it('keeps the text of numbers, by which Go recognizes integers', () => {
    const text = (source: string): unknown =>
      (parseText(source).value as ReadonlyMap<string, { text: string }>).get('a')?.text;
    expect(text('{"a": 100.0}')).toBe('100.0');
    expect(text('a: 100.0')).toBe('100');
    expect(text('a: 9007199254740993')).toBe('9007199254740993');
  });

  it('names keys that are there twice', () => {
    expect(parseText('a: 1\nb: {c: 1, c: 2}\na: 3').duplicates).toEqual(['b.c', 'a']);
    expect(parse('{"a": 1, "a": 2}')).toEqual({ a: 2 });
  });

  it.each([
    ['a: [1', /./],
    ['null: 2', /unsupported key/],
    ['{"a": 1} trailing', /text follows the JSON object/],
    ['a: .inf', /unsupported number/],
    ['a: {<<: 1}', /map merge requires/],
  ])('rejects %j', (source, message) => {
    expect(() => parseText(source)).toThrow(message);
  });

  it('bounds what aliases expand to', () => {
    const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'].map((pair) => [...pair] as [string, string]))
      levels.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(', ')}]`);
    expect(() => parseText(levels.join('\n'))).toThrow('aliases expand without bound');
  });
});
