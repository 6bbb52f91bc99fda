import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../tools/generate/kube-api/generate.ts';

const openapi = readFileSync(new URL('../../../proto/openapi/kubernetes-1.36.json', import.meta.url), 'utf8');
const files = generate(openapi);

describe('the generated files', () => {
  it.each([...files.keys()])('%s is what the generator makes of the schema today', (path) => {
    // Compared as a whole, without a diff of thousands of lines: run the generator to repair it.
    expect(readFileSync(new URL(path, import.meta.url), 'utf8') === files.get(path)).toBe(true);
  });

  it('are all that lies in their folder', () => {
    const expected = [...files.keys()].filter((path) => path.startsWith('gen/')).map((path) => path.slice(4));
    expect(readdirSync(new URL('gen/', import.meta.url)).sort()).toEqual(expected.sort());
  });
});
