import { expect, it } from 'vitest';
import { findTable } from '../find-table.ts';
import { withoutNulls } from './without-nulls.ts';

const table = findTable('v1', 'Pod')!;

it('returns an object without nulls itself, also with a time that is not set', () => {
  const pod = {
    metadata: { name: 'a', creationTimestamp: null, labels: { b: 'c' } },
    spec: { containers: [{ name: 'app', resources: { limits: { cpu: '1' } } }] },
    status: { conditions: [{ type: 'Ready', lastProbeTime: null }] },
  };
  expect(withoutNulls(pod, table)).toBe(pod);
});

it('leaves out fields that are null, in lists and mappings as well', () => {
  const pod = {
    metadata: { name: 'a', labels: null },
    spec: { initContainers: null, containers: [{ name: 'app', env: null, resources: { limits: null } }] },
    status: null,
    other: null,
  };
  expect(withoutNulls(pod, table)).toEqual({
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'app', resources: {} }] },
    other: null,
  });
});

it('keeps values of a wrong type, which another check reports', () => {
  const pod = { metadata: { labels: { a: null } }, spec: { containers: [null, 'x'], volumes: {} } };
  expect(withoutNulls(pod, table)).toBe(pod);
});
