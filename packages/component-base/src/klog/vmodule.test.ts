import { expect, it } from 'vitest';
import { verbosityByName } from './vmodule.ts';

it.each([
  ['eviction', 'eviction', 3],
  ['eviction', 'evictions', 0],
  ['pod-*', 'pod-workers', 3],
  ['*', 'a.b', 3],
  ['cpu-?anager', 'cpu-manager', 3],
  ['[ps]leg', 'pleg', 3],
  ['[^p]leg', 'pleg', 0],
  ['[a-z]leg', 'pleg', 3],
  [String.raw`a\*`, 'a*', 3],
  [String.raw`a\*`, 'ab', 0],
  ['a.b', 'axb', 0],
  ['watch', 'cluster-pods.watch', 3],
  ['[', '[', 0],
  ['[z-a]', 'z', 0],
])('a pattern %s gives the logger %s the verbosity %i', (filePattern, name, verbosity) => {
  expect(verbosityByName([{ filePattern, verbosity: 3 }])(name)).toBe(verbosity);
});

it('uses the first pattern that matches', () => {
  const patterns = [
    { filePattern: 'pleg', verbosity: 1 },
    { filePattern: '*', verbosity: 5 },
  ];
  expect(['pleg', 'other'].map(verbosityByName(patterns))).toEqual([1, 5]);
});
