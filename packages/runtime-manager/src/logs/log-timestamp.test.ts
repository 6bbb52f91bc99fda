import { describe, expect, it } from 'vitest';
import { isBefore, parseInstant, withNanoseconds } from './log-timestamp.ts';

describe('log timestamps', () => {
  it.each([
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456789Z'],
    ['2026-01-02T03:04:05.5Z', '2026-01-02T03:04:05.500000000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000000Z'],
    ['2026-01-02T03:04:05.1234567891Z', '2026-01-02T03:04:05.123456789Z'],
    ['2026-01-02T03:04:05.5+00:00', '2026-01-02T03:04:05.500000000Z'],
    ['2026-01-02T03:04:05.5+02:00', '2026-01-02T03:04:05.500000000+02:00'],
  ])('%s is shown as %s', (timestamp, shown) => {
    expect(withNanoseconds(timestamp)).toBe(shown);
  });

  it('compare to the nanosecond, whatever their offset', () => {
    const before = (a: string, b: string): boolean => isBefore(parseInstant(a), parseInstant(b));
    expect(before('2026-01-02T03:04:05.000000001Z', '2026-01-02T03:04:05.000000002Z')).toBe(true);
    expect(before('2026-01-02T03:04:05.9Z', '2026-01-02T03:04:06Z')).toBe(true);
    expect(before('2026-01-02T03:04:05Z', '2026-01-02T05:04:05+02:00')).toBe(false);
    expect(before('2026-01-02T05:04:04+02:00', '2026-01-02T03:04:05Z')).toBe(true);
  });
});
