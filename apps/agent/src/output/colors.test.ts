import { describe, expect, it } from 'vitest';
import { toneOfStatus, usesColors } from './colors.ts';
import { formatTable } from './table.ts';

describe('usesColors', () => {
  it.each<
    [choice: 'always' | 'auto' | 'never', isTerminal: boolean, environment: Record<string, string>, expected: boolean]
  >([
    ['auto', true, {}, true],
    ['auto', false, {}, false],
    ['auto', true, { NO_COLOR: '1' }, false],
    ['auto', true, { NO_COLOR: '' }, true],
    ['auto', true, { TERM: 'dumb' }, false],
    ['always', false, { NO_COLOR: '1' }, true],
    ['never', true, {}, false],
  ])('for %s, terminal %s, %j is %s', (choice, isTerminal, environment, expected) => {
    expect(usesColors(choice, isTerminal, environment)).toBe(expected);
  });
});

it.each([
  ['Running', 'good'],
  ['Init:1/2', 'busy'],
  ['ContainerCreating', 'busy'],
  ['CrashLoopBackOff', 'bad'],
  ['Init:Error', 'bad'],
])('marks the status %s as %s', (word, tone) => {
  expect(toneOfStatus(word)).toBe(tone);
});

it('aligns coloured cells by their text', () => {
  const rows = [
    [{ text: 'Running', tone: 'good' as const }, 'x'],
    [{ text: 'Pending', tone: 'busy' as const }, ''],
  ];
  expect(formatTable(['STATUS', 'AGE'], rows, { colors: true })).toEqual([
    'STATUS    AGE',
    '\u001b[32mRunning\u001b[0m   x',
    '\u001b[33mPending\u001b[0m',
  ]);
});
