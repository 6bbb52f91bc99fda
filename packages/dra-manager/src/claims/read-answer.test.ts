import { describe, expect, it } from 'vitest';
import { readAnswer } from './read-answer.ts';

const CLAIMS = [
  { uid: 'c1', name: 'one' },
  { uid: 'c2', name: 'two' },
];
const METHOD = 'NodePrepareResources';
const ok = { error: '' };

describe('readAnswer', () => {
  it.each<[string, readonly (readonly [string, { error: string }])[], readonly string[], string | undefined]>([
    [
      'all claims',
      [
        ['c1', ok],
        ['c2', ok],
      ],
      ['c1', 'c2'],
      undefined,
    ],
    [
      'a claim that failed',
      [
        ['c1', { error: 'busy' }],
        ['c2', ok],
      ],
      ['c2'],
      `${METHOD} failed for ResourceClaim one: busy`,
    ],
    ['a claim without a result', [['c2', ok]], ['c2'], `${METHOD} skipped 1 ResourceClaims`],
    ['no results', [], [], `${METHOD} skipped 2 ResourceClaims`],
    [
      'a claim that was not requested',
      [
        ['c1', ok],
        ['c2', ok],
        ['c3', ok],
      ],
      ['c1', 'c2'],
      `${METHOD} returned result for unknown claim UID c3`,
    ],
  ])('reads the results of %s', (_title, results, succeeded, message) => {
    const outcome = readAnswer(METHOD, CLAIMS, new Map(results));
    expect([...outcome.succeeded.keys()]).toEqual(succeeded);
    expect(outcome.error?.message).toBe(message);
  });
});
