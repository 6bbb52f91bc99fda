import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonNumber, toPlainJson } from './json-value.ts';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it.each(['{"a": [1, -2.5e3, null, true, "x\\"\\u00e9{}"], "b": {"c": [{}, []]}}', ' {} ', '{"": {"": 0}}'])(
    'reads %s as JSON.parse does',
    (source) => {
      expect(toPlainJson(parseJson(source).value)).toEqual(JSON.parse(source));
    },
  );

  it('keeps the text of numbers', () => {
    const { value } = parseJson('{"a": 100.0}');
    expect(isJsonObject(value) && (value.get('a') as JsonNumber).text).toBe('100.0');
  });

  it('merges the objects of a key that is there twice, and names it once', () => {
    const { value, duplicates } = parseJson('{"a": {"b": 1, "c": 1}, "a": {"b": 2}, "d": [{"e": 1, "e": 2}], "a": {}}');
    expect(toPlainJson(value)).toEqual({ a: { b: 2, c: 1 }, d: [{ e: 2 }] });
    expect(duplicates).toEqual(['a', 'd[0].e']);
  });

  it.each(['{"a": 1,}', "{'a': 1}", '{"a": 1} {}', '{"a": 01}', '{a: 1}', ''])('rejects %j', (source) => {
    expect(() => parseJson(source)).toThrow(SyntaxError);
  });
});
