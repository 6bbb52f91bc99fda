import { allFieldPaths, FLAGS } from '@rxlet/kubelet-config';
import { expect, it } from 'vitest';
import {
  describeMissingEffects,
  FIELDS_IN_EFFECT,
  FLAG_HELP,
  flagOfSetting,
  FLAGS_IN_EFFECT,
  MODULE_SETTINGS,
} from './effects.ts';

it('lists only fields and flags that exist', () => {
  const fields = allFieldPaths();
  expect([...FIELDS_IN_EFFECT].filter((path) => !fields.includes(path))).toEqual([]);
  expect([...FLAGS_IN_EFFECT].filter((name) => FLAGS.get(name)?.path !== undefined || !FLAGS.has(name))).toEqual([]);
});

it('names each configured field and flag without effect', () => {
  const configuredFields = new Set(['maxOpenFiles', 'clusterDNS', 'logging.flushFrequency']);
  const flags = new Map([
    ['max-pods', 1],
    ['lock-file', 1],
    ['root-dir', 1],
  ]);
  expect(describeMissingEffects({ configuredFields, flags })).toEqual([
    'the field "maxOpenFiles" of the configuration has no effect yet',
    'the field "logging.flushFrequency" of the configuration has no effect yet',
    'the flag --lock-file has no effect yet',
  ]);
});

it('has settings with names and flags of their own', () => {
  const flags = MODULE_SETTINGS.map(flagOfSetting);
  expect(flags).toContain('eviction-dry-run');
  expect(new Set(flags).size).toBe(flags.length);
  expect(flags.filter((flag) => FLAGS.has(flag))).toEqual([]);
});

it('explains settings and flags of the kubelet', () => {
  const settings = MODULE_SETTINGS.map(flagOfSetting);
  const explained = FLAG_HELP.map(({ flag }) => flag);
  expect(explained).toEqual(expect.arrayContaining(settings));
  expect(explained.filter((flag) => !FLAGS.has(flag) && !settings.includes(flag))).toEqual([]);
  expect(new Set(explained).size).toBe(explained.length);
});
