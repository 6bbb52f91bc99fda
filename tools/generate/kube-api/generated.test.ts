import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generate } from './generate.ts';

const openapi = readFileSync(new URL('../../../proto/openapi/kubernetes-1.36.json', import.meta.url), 'utf8');
const files = generate(openapi);
const sources = new URL('../../../packages/kube-api/src/', import.meta.url);

describe('the generated files', () => {
  it.each([...files.keys()])('%s is up to date with the generator and the schema', (path) => {
    // Compared as a whole, without a diff of thousands of lines: run the generator to repair it.
    expect(readFileSync(new URL(path, sources), 'utf8') === files.get(path)).toBe(true);
  });

  it('fill their folder without other files', () => {
    const expected = [...files.keys()].filter((path) => path.startsWith('gen/')).map((path) => path.slice(4));
    expect(readdirSync(new URL('gen/', sources)).sort()).toEqual(expected.sort());
  });
});
