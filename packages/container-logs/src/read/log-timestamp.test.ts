import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isBefore,
  isPlainBefore,
  parseTimestamp,
  plainOffsetMinutes,
  timestampOfMs,
  plainTimestampLength,
  writePlainTimestamp,
} from './log-timestamp.ts';

describe('log timestamps', () => {
  it.each([
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456789Z'],
    ['2026-01-02T03:04:05.5Z', '2026-01-02T03:04:05.500000000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000000Z'],
    ['2026-01-02T03:04:05.1234567891Z', '2026-01-02T03:04:05.123456789Z'],
    ['2026-01-02T03:04:05.5+00:00', '2026-01-02T03:04:05.500000000Z'],
    ['2026-01-02T03:04:05.5-00:00', '2026-01-02T03:04:05.500000000Z'],
    ['2026-01-02T03:04:05.5+02:00', '2026-01-02T03:04:05.500000000+02:00'],
    // What Go takes though RFC 3339 does not.
    ['2026-01-02T3:04:05Z', '2026-01-02T03:04:05.000000000Z'],
    ['2026-01-02T03:04:05,25Z', '2026-01-02T03:04:05.250000000Z'],
    ['2026-01-02T03:04:05-24:60', '2026-01-02T03:04:05.000000000-25:00'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000000000Z'],
  ])('%s is shown as %s', (timestamp, shown) => {
    expect(parseTimestamp(timestamp)?.text).toBe(shown);
  });

  it.each([
    '2026-02-31T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-1-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:0:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00z',
    '2026-01-01t00:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00+25:00',
    '2026-01-01T00:00:00+00:61',
    '2026-01-01T00:00:00+0000',
    '2026-01-01T00:00:00Z ',
    'yesterday',
    '',
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
    expect(plainTimestampLength(Buffer.from(text), 0) === text.length && text !== '').toBe(false);
  });

  it('compare to the nanosecond, whatever their offset', () => {
    const before = (a: string, b: string): boolean => isBefore(parseTimestamp(a)!, parseTimestamp(b)!);
    expect(before('2026-01-02T03:04:05.000000001Z', '2026-01-02T03:04:05.000000002Z')).toBe(true);
    expect(before('2026-01-02T03:04:05.9Z', '2026-01-02T03:04:06Z')).toBe(true);
    expect(before('2026-01-02T03:04:05Z', '2026-01-02T05:04:05+02:00')).toBe(false);
    expect(before('2026-01-02T05:04:04+02:00', '2026-01-02T03:04:05Z')).toBe(true);
    expect(before('0001-01-01T00:00:00Z', '1901-01-01T00:00:00Z')).toBe(true);
    expect(timestampOfMs(1_767_225_600_500.25)).toEqual(parseTimestamp('2026-01-01T00:00:00.50025Z'));
  });
});

describe('the usual form, read byte by byte', () => {
  const digits = (length: number, max: number): fc.Arbitrary<string> =>
    fc.integer({ min: 0, max }).map((number) => String(number).padStart(length, '0'));
  const fraction = fc.option(
    fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 0, maxLength: 11 }).map((text) => `.${text}`),
    { nil: '' },
  );
  const zone = fc.constantFrom('Z', '+02:00', '-11:30', '+24:59', '+25:00', '+00:00', '-01:60', '+0200', '');
  const timestamp = fc
    .tuple(digits(4, 9999), digits(2, 14), digits(2, 33), digits(2, 25), digits(2, 61), digits(2, 61), fraction, zone)
    .map(([y, mo, d, h, mi, s, f, z]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${f}${z}`);

  it('says the same as the other way of reading', () => {
    fc.assert(
      fc.property(timestamp, (text) => {
        const bytes = Buffer.from(`..${text} rest`);
        const length = plainTimestampLength(bytes, 2);
        const parsed = parseTimestamp(text);
        if (length === 0) {
          // What is shown in another way than it was written is left to the other way.
          expect(parsed === undefined || /\.\d{10}|00:00$|:60$/.test(text)).toBe(true);
          return;
        }
        expect([length, parsed === undefined]).toEqual([text.length, false]);
        const utc = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
        expect(plainOffsetMinutes(bytes, 2, length) * 60).toBe(utc - parsed!.seconds);
        const shown = Buffer.alloc(40);
        expect(shown.toString('latin1', 1, writePlainTimestamp(bytes, 2, length, shown, 1))).toBe(parsed!.text);
      }),
    );
  });

  it('compares the same', () => {
    const near = fc
      .tuple(fc.constantFrom('2026-01-01T00:00:00', '2025-12-31T23:59:59'), fraction)
      .map(([whole, f]) => `${whole}${f === '.' ? '' : f.slice(0, 10)}Z`);
    fc.assert(
      fc.property(near, near, (a, b) => {
        // The same again in another zone, where both are as far apart.
        const [zonedA, zonedB] = [a.replace('Z', '+02:00'), parseTimestamp(b)!.text.replace('Z', '+02:00')];
        expect(isPlainBefore(Buffer.from(zonedA), 0, zonedA.length, Buffer.from(zonedB))).toBe(
          isBefore(parseTimestamp(zonedA)!, parseTimestamp(zonedB)!),
        );
        const [parsedA, parsedB] = [parseTimestamp(a)!, parseTimestamp(b)!];
        expect(isPlainBefore(Buffer.from(a), 0, a.length, Buffer.from(parsedB.text))).toBe(isBefore(parsedA, parsedB));
      }),
    );
  });
});
