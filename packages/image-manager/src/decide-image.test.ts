import { describe, expect, it } from 'vitest';
import { decideImage } from './decide-image.ts';

describe('decideImage', () => {
  it.each([
    ['Always', 'not-looked-up', 'pull'],
    ['Always', 'present', 'pull'],
    ['IfNotPresent', 'not-looked-up', 'look-up'],
    ['IfNotPresent', 'present', 'use'],
    ['IfNotPresent', 'absent', 'pull'],
    ['Never', 'not-looked-up', 'look-up'],
    ['Never', 'present', 'use'],
    ['Never', 'absent', 'reject'],
    ['IfNotPresent', 'not-accessible', 'pull'],
    ['Never', 'not-accessible', 'reject'],
    [undefined, 'not-looked-up', 'pull'],
    ['', 'not-looked-up', 'pull'],
  ] as const)('%s, %s: %s', (policy, presence, step) => {
    expect(decideImage(policy, presence)).toBe(step);
  });
});
