import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { SPDY_DICTIONARY } from './dictionary.ts';

it('is the dictionary of SPDY/3', () => {
  expect(SPDY_DICTIONARY).toHaveLength(1423);
  expect(createHash('sha256').update(SPDY_DICTIONARY).digest('hex')).toBe(
    '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02',
  );
});
