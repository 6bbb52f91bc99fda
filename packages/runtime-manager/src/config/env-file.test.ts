import { describe, expect, it } from 'vitest';
import { envFileValue } from './env-file.ts';

describe('envFileValue', () => {
  it.each([
    ["A='1'", '1'],
    ["  \tA='1' # one\nA='2'", '1'],
    ["A= 'x'\n", ''],
    ["B= junk is skipped\nA='x'", 'x'],
    ["A='a\nb''", undefined],
    ["A='a\nb'#c", 'a\nb'],
    ["A='a\r\nb'\r\n", 'a\nb'],
    ["# c\n\n \nA='x'\nfault", 'x'],
    ['', ''],
    ["export A='1'\n", ''],
    ['A=1', undefined],
    ["A ='1'", undefined],
    ["='1'", undefined],
    ['fault', undefined],
    ["A='1", undefined],
    [`${'#'.repeat(70_000)}\nA='1'`, undefined],
  ])('reads %j as %j', (text, value) => {
    if (value === undefined) expect(() => envFileValue(text, 'A')).toThrow('invalid environment file, line ');
    else expect(envFileValue(text, 'A')).toBe(value);
  });
});
