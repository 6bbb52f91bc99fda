import { describe, expect, it } from 'vitest';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';

describe('parseGoDuration', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0s', 0],
    ['20s', 20_000],
    ['1m30s', 90_000],
    ['1h2m3s4ms', 3_723_004],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['250us', 0.25],
    ['250\u00b5s', 0.25],
    ['250\u03bcs', 0.25],
    ['500ns', 0.0005],
    ['-1s', -1000],
    ['+1s', 1000],
    ['2540400h', 2_540_400 * 3_600_000],
  ])('parses %s as %d ms', (text, ms) => {
    expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each([
    '',
    '+',
    '-',
    '1',
    '20',
    's',
    '.s',
    '1 s',
    ' 1s',
    '1s ',
    '1S',
    '1d',
    '1m30',
    '1,5s',
    '--1s',
    '1m-30s',
    '3000000h',
    'PT1S',
  ])('rejects "%s"', (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });
});

describe('formatGoDuration', () => {
  it.each([
    [-1, '0s'],
    [0, '0s'],
    [0.9, '0s'],
    [312.7, '312ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [1234.9, '1.234s'],
    [60_000, '1m0s'],
    [80_000, '1m20s'],
    [300_000, '5m0s'],
    [123_450, '2m3.45s'],
    [3_605_000, '1h0m5s'],
    [90_061_001, '25h1m1.001s'],
  ])('%d ms: %s', (durationMs, text) => {
    expect(formatGoDuration(durationMs)).toBe(text);
  });
});
