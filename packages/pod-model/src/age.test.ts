import { describe, expect, it } from 'vitest';
import { formatAge, formatSince } from './age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('formatAge', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1.9 * SECOND, '0s'],
    [0, '0s'],
    [999, '0s'],
    [42 * SECOND, '42s'],
    [119.9 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [5 * MINUTE + 3 * SECOND, '5m3s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE + 30 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 12 * MINUTE, '3h12m'],
    [8 * HOUR + 30 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + 5 * HOUR, '2d5h'],
    [8 * DAY + 5 * HOUR, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [3 * YEAR + 40 * DAY, '3y40d'],
    [8 * YEAR + 40 * DAY, '8y'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });
});

describe('formatSince', () => {
  it('counts from a timestamp, if there is one', () => {
    const nowMs = Date.UTC(2026, 0, 1, 0, 1);
    expect(formatSince('2026-01-01T00:00:30Z', nowMs)).toBe('30s');
    expect(formatSince('2026-01-01T02:00:30+02:00', nowMs)).toBe('30s');
    expect(formatSince(undefined, nowMs)).toBe('<unknown>');
    expect(formatSince('yesterday', nowMs)).toBe('<unknown>');
  });
});
