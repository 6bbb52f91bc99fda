import { expect, it } from 'vitest';
import { formatOutline } from './outline.ts';

it('puts values into a column per level, and what belongs to a value into the column of that', () => {
  expect(
    formatOutline([
      { title: 'Name', value: 'web' },
      { title: 'Labels', value: 'a=1\nb=2' },
      { title: 'Absent', value: undefined },
      { title: 'Empty', below: [] },
      {
        title: 'Containers',
        below: [
          {
            title: 'main',
            below: [
              { title: 'State', value: 'Waiting', below: [{ title: 'Reason', value: 'BackOff' }] },
              { title: 'Restart Count', value: '3' },
              { title: 'Args', below: ['-c', 'echo a\necho b'] },
            ],
          },
        ],
      },
    ]),
  ).toEqual([
    'Name:    web',
    'Labels:  a=1',
    '         b=2',
    'Containers:',
    '  main:',
    '    State:          Waiting',
    '      Reason:       BackOff',
    '    Restart Count:  3',
    '    Args:',
    '      -c',
    '      echo a',
    '      echo b',
  ]);
});

it('shows control characters', () => {
  expect(formatOutline([{ title: 'Message', value: '\u001b[2J' }, '\u0007'])).toEqual(['Message:  ^[[2J', '^G']);
});
