import { describe, expect, it } from 'vitest';
import { fixedPointDifferences } from './fixed-point.ts';

describe('fixed points', () => {
  it('differ in what one pod has and the same pod in the other run has not', () => {
    const actual = new Map([
      ['web app=image:1', ['the phase Running', 'the mount disk']],
      ['db app=image:1', ['the phase Pending']],
    ]);
    const expected = new Map([
      ['web app=image:1', ['the phase Running', 'the file etc-hosts']],
      ['db app=image:2', ['the phase Running']],
    ]);
    expect(fixedPointDifferences(actual, expected)).toEqual([
      'web has the mount disk, unlike without restarts of the agent',
      'web lacks the file etc-hosts, unlike without restarts of the agent',
    ]);
  });
});
