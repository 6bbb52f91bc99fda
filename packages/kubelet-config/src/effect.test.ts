import { expect, it } from 'vitest';
import { describeMissingEffects, FIELDS_IN_EFFECT, OWN_FLAGS_IN_EFFECT } from './effect.ts';
import { FLAGS } from './flags/flag-table.ts';
import { allFieldPaths } from './schema/field-paths.ts';

it('lists only fields and flags that exist', () => {
  const fields = allFieldPaths();
  expect([...FIELDS_IN_EFFECT].filter((path) => !fields.includes(path))).toEqual([]);
  expect([...OWN_FLAGS_IN_EFFECT].filter((name) => FLAGS.get(name)?.path !== undefined || !FLAGS.has(name))).toEqual(
    [],
  );
});

it('names each configured field and flag without effect', () => {
  const fields = new Set(['maxOpenFiles', 'clusterDNS', 'logging.flushFrequency']);
  const flags = new Map([
    ['max-pods', 1],
    ['lock-file', 1],
    ['root-dir', 1],
  ]);
  expect(describeMissingEffects(fields, flags)).toEqual([
    'the field "maxOpenFiles" of the configuration has no effect yet',
    'the field "logging.flushFrequency" of the configuration has no effect yet',
    'the flag --lock-file has no effect yet',
  ]);
});
