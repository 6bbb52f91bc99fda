import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ABSENT_FAMILIES } from './absent-families.ts';

it('lists the absent metric families in the documentation', () => {
  const text = readFileSync(new URL('../../../../docs/differences.md', import.meta.url), 'utf8');
  const [, section = ''] = /### Metrics of the kubelet that do not exist\n([^#]*)/.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.map((row) => {
    const [names = '', reason = ''] = row.split('|').slice(1);
    return [names.split(',').map((name) => name.replaceAll(/[\s`]/g, '')), reason.trim()];
  });
  expect(documented).toEqual(ABSENT_FAMILIES);
});
