import { describe, expect, it } from 'vitest';
import { toPlainJson } from './json-value.ts';
import { parseYaml } from './parse-yaml.ts';

const parse = (source: string): unknown => toPlainJson(parseYaml(source).value);

describe('parseYaml', () => {
  it.each([
    ['a: 017', { a: 15 }],
    ['a: 0o17', { a: 15 }],
    ['a: -0x1f', { a: -31 }],
    ['a: 0b1_01', { a: 5 }],
    ['a: 1_000', { a: 1000 }],
    ['a: 09', { a: 9 }],
    ['a: 1e3', { a: 1000 }],
    ['a: .5', { a: 0.5 }],
    ['a: 1e400', { a: '1e400' }],
    ['a: "017"', { a: '017' }],
    ['a: !!str 5', { a: '5' }],
    ['a: 1.2.3', { a: '1.2.3' }],
    ['5: a\n0x10: b\nyes: c', { 5: 'a', 16: 'b', true: 'c' }],
    ['a: +5', { a: 5 }],
    ['a: 1.0', { a: 1 }],
    ['a: yes\nb: off', { a: true, b: false }],
    ['a: 12:30', { a: '12:30' }],
    ['a: 2026-01-01', { a: '2026-01-01' }],
    ['a: ~', { a: null }],
    ['---\na: 1\n---\na: 2', { a: 1 }],
    ['base: &b {i: 1, j: 2}\nmore: {<<: *b, j: 3}', { base: { i: 1, j: 2 }, more: { i: 1, j: 3 } }],
    ['base: &b {i: 1, j: 2}\nmore: {j: 3, <<: *b}', { base: { i: 1, j: 2 }, more: { i: 1, j: 2 } }],
    ['a: {<<: [{i: 1}, {i: 2, j: 2}]}', { a: { i: 1, j: 2 } }],
    ['{"a": [1, 2.5, null],}', { a: [1, 2.5, null] }],
    ['', null],
  ])('reads %j as the kubelet does', (source, value) => {
    expect(parse(source)).toEqual(value);
  });

  it('keeps the text of numbers, by which Go recognizes integers', () => {
    const text = (source: string): unknown =>
      (parseYaml(source).value as ReadonlyMap<string, { text: string }>).get('a')?.text;
    expect(text('a: 100.0')).toBe('100');
    expect(text('a: 9007199254740993')).toBe('9007199254740993');
  });

  it('names keys that are there twice, with the line of the later value', () => {
    expect(parseYaml('a: 1\nb: {c: 1,\n  c: 2}\na:\n  - 3').duplicates).toEqual([
      { key: 'c', line: 3 },
      { key: 'a', line: 5 },
    ]);
    expect(parseYaml('a: &a {i: 1}\nb: {i: 2, <<: *a}').duplicates.map(({ key }) => key)).toEqual(['i']);
  });

  it.each([
    ['a: [1', /./],
    ['null: 2', /unsupported key/],
    ['{"a": 1} trailing', /./],
    ['a: {<<: [1]}', /map merge requires/],
    ['a: .inf', /unsupported number/],
    ['a: {<<: 1}', /map merge requires/],
  ])('rejects %j', (source, message) => {
    expect(() => parseYaml(source)).toThrow(message);
  });

  it('bounds what aliases expand to', () => {
    const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'].map((pair) => [...pair] as [string, string]))
      levels.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(', ')}]`);
    expect(() => parseYaml(levels.join('\n'))).toThrow('aliases expand without bound');
  });
});
