import { expect, it } from 'vitest';
import { goJson } from './container-hash.ts';

it('escapes the same characters as Go', () => {
  const value = { command: ['sh', '-c', 'a && b > "c" < d'], odd: '\u2028\u2029\n\u007f' };
  const text = goJson(value);
  expect(text).toBe(
    String.raw`{"command":["sh","-c","a \u0026\u0026 b \u003e \"c\" \u003c d"],"odd":"\u2028\u2029\n` + '\u007f"}',
  );
  expect(JSON.parse(text)).toEqual(value);
});
