import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CONFIGURATION_DOCUMENT, configurationDocument } from './configuration-table.ts';

it('is up to date with the schema and the fields that have an effect', async () => {
  expect(await readFile(CONFIGURATION_DOCUMENT, 'utf8')).toBe(await configurationDocument());
});
