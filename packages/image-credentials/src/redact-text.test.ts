import { describe, expect, it } from 'vitest';
import { redactText } from './redact-text.ts';

describe('redactText', () => {
  it.each([
    ['open /etc/acr.json: no such file or directory', 'open /etc/acr.json: no such file or directory'],
    [
      'cannot reach https://sts.eu-west-1.amazonaws.com/: timeout',
      'cannot reach https://sts.eu-west-1.amazonaws.com/: timeout',
    ],
    ['login as me with hunter2 failed', 'login as me with [redacted] failed'],
    ['hunter2hunter2-more', '[redacted]-more'],
    ['{"password": "abc"}', '{"password": [redacted]}'],
    ['{"password": "a b, c", "x": 1}', '{"password": [redacted], "x": 1}'],
    ['PASSWORD=abc rest', 'PASSWORD=[redacted] rest'],
    ['Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
    ['GET https://me:abc@r.io/v2/', 'GET https://[redacted]@r.io/v2/'],
    ['got AKIAIOSFODNN7EXAMPLE1 back', 'got [redacted] back'],
    ['eyJhbGciOiJSUzI1NiIsImtpZ.eyJhdWQiOlsiYXBp0Iiwx12', '[redacted].[redacted]'],
    ['line 1\r\n\u001b[31mline 2\n', 'line 1 [31mline 2'],
  ])('%j', (text, want) => {
    expect(redactText(text, ['hunter2', 'hunter2hunter2', 'me', ''], 100)).toBe(want);
  });

  it('keeps to the length, and shows no half of a secret that was cut', () => {
    expect(redactText('word '.repeat(100), [], 12)).toBe('word word wo…');
    expect(redactText(`${'hunter2 '.repeat(1023)}xx hunter2`, ['hunter2'], 100_000)).not.toMatch(/hu/);
  });
});
