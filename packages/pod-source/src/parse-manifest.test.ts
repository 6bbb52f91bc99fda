import { describe, expect, it } from 'vitest';
import { ManifestError } from './manifest-error.ts';
import { parseManifest } from './parse-manifest.ts';

async function errorOf(text: string): Promise<ManifestError> {
  try {
    await parseManifest(text, '/m/a.yaml');
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseManifest', () => {
  it.each([
    ['y', true],
    ['No', false],
    ['on', true],
    ['"y"', 'y'],
    ['0644', 420],
    ['0x1F', 31],
    ['1_000', 1000],
    ['1e3', 1000],
    ['22:22', '22:22'],
    ['2001-01-01', '2001-01-01'],
    ['~', null],
    ['null', null],
  ])('reads %s by the rules of YAML 1.1, as Kubernetes does', async (text, value) => {
    expect((await parseManifest(`a: ${text}`, 'x')).value).toEqual({ a: value });
  });

  it('merges, follows aliases, and takes keys of any type', async () => {
    const text = 'base: &base {a: 1, b: 2}\nother:\n  <<: *base\n  b: 3\n1: one\nyes: two\n';
    expect((await parseManifest(text, 'x')).value).toEqual({
      base: { a: 1, b: 2 },
      other: { a: 1, b: 3 },
      1: 'one',
      true: 'two',
    });
  });

  it('reads JSON, which may hold what YAML may not', async () => {
    expect((await parseManifest(' {"a": "\\u0000", "b": 12345678901}', 'x')).value).toEqual({
      a: '\0',
      b: 12345678901,
    });
  });

  it('takes one document among empty ones', async () => {
    expect((await parseManifest('---\n# nothing\n---\na: 1\n---\n...\n', 'x')).value).toEqual({ a: 1 });
  });

  it('warns of keys given twice, of which the last counts', async () => {
    expect(await parseManifest('a: 1\nb:\n  c: 1\n  c: 2\na: 2\n', 'x')).toEqual({
      value: { a: 2, b: { c: 2 } },
      warnings: ['the last one counts of keys given twice: a, c'],
    });
  });

  it.each([
    ['', 'Empty', 'is empty; write a Pod into it, or remove it'],
    [' \n# nothing\n---\n', 'Empty', 'is empty; write a Pod into it, or remove it'],
    [
      'a: 1\n---\nb: 1\n---\nc: 1\n',
      'SeveralDocuments',
      'holds 3 YAML documents; a manifest is one Pod, so put each into a file of its own',
    ],
    ['a: b: c', 'NotYaml', /^is not YAML: .* at line 1, column 4; correct it, or remove the file$/],
    ['ok: 1\nbad: [1, 2\nmore: 2\n', 'NotYaml', /at line 3, column 1/],
    ['a: 1\n\u0001', 'NotYaml', 'is not YAML: control character at line 2; correct it, or remove the file'],
    ['{"a": 1}\n{"b": 2}', 'NotYaml', /^is not JSON: .* \(line 2 column 1\); correct it/],
    ['{"a": ', 'NotYaml', /^is not JSON: Unexpected end of JSON input; correct it/],
    ['{a: 1}', 'NotYaml', /^is not JSON: /],
  ])('rejects %j as %s', async (text, reason, message) => {
    const error = await errorOf(text);
    expect(error.reason).toBe(reason);
    expect(error.manifest).toBe('/m/a.yaml');
    const prefix = '/m/a.yaml: ';
    expect(error.message.startsWith(prefix)).toBe(true);
    expect(error.message).not.toContain('\n');
    if (typeof message === 'string') expect(error.message).toBe(prefix + message);
    else expect(error.message.slice(prefix.length)).toMatch(message);
  });

  it.each([
    ['brackets', '['.repeat(10_000_000), 'nested more than 100 levels deep'],
    ['dashes', '- '.repeat(1_000_000), 'nested more than 100 levels deep'],
    ['small values', `[${'a,'.repeat(1_000_000)}]`, 'more than 250000 tokens'],
    [
      'aliases of aliases',
      `a: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `b${String(i)}: &a${String(i + 1)} [${`*a${String(i)},`.repeat(9)}]\n`).join('')}`,
      'Excessive alias count',
    ],
  ])('rejects a flood of %s before it is parsed', async (_, text, message) => {
    expect((await errorOf(text)).message).toContain(message);
  });
});
