import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  cpuMillis,
  formatQuantity,
  isZeroQuantity,
  makeQuantity,
  type ParsedQuantity,
  parseQuantity,
  type QuantityFormat,
  quantityMilliValue,
  quantityNumber,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from './quantity.ts';
import { QuantityError } from './quantity-error.ts';

const canonical = (text: string | number): string => formatQuantity(parseQuantity(text));
const MAX_INT64 = 2n ** 63n - 1n;

describe('parseQuantity and formatQuantity', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['0.5', '500m'],
    ['.001', '1m'],
    ['1.2345', '1234500u'],
    ['1000m', '1'],
    ['100000k', '100M'],
    ['1000000n', '1m'],
    ['1Ki', '1Ki'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['1000Ki', '1000Ki'],
    ['-1.5Gi', '-1536Mi'],
    ['1e3', '1e3'],
    ['12E6', '12E6'],
    ['1500e3', '1500e3'],
    ['1e4', '10e3'],
    ['1E', '1E'],
    ['1000e3', '1e6'],
    ['5e0', '5e0'],
  ])('writes %s as %s', (text, want) => {
    expect(canonical(text)).toBe(want);
  });

  it('parses JSON numbers', () => {
    expect(canonical(2)).toBe('2');
    expect(canonical(0.1)).toBe('100m');
    expect(canonical(1e21)).toBe('1e+21');
    expect(compareQuantities(parseQuantity(1e21), parseQuantity('1000E'))).toBe(0);
  });

  it('rounds values finer than 10 ** -9 away from zero', () => {
    expect(canonical('0.1n')).toBe('1n');
    expect(canonical('1.5n')).toBe('2n');
    expect(canonical('-1.5n')).toBe('-2n');
    expect(canonical('1e-999999999')).toBe('1e-9');
  });

  it('caps binary quantities at an int64, and no others', () => {
    expect(quantityValue(parseQuantity('8Ei'))).toBe(MAX_INT64);
    expect(canonical('16Ei')).toBe('9223372036854775807');
    expect(canonical('-16Ei')).toBe('-9223372036854775807');
    expect(canonical('18446744073709551616')).toBe('18446744073709551616');
  });

  it('formats values beyond the largest suffix exactly', () => {
    expect(canonical('1000E')).toBe('1e21');
    expect(formatQuantity(makeQuantity(2n ** 80n, 0, 'binarySI'))).toBe('1048576Ei');
  });

  it.each([
    ['', 'InvalidFormat'],
    [' 1', 'InvalidFormat'],
    ['1 ', 'InvalidFormat'],
    ['1,5', 'InvalidFormat'],
    ['1.2.3', 'InvalidFormat'],
    ['--1', 'InvalidFormat'],
    ['0x10', 'InvalidFormat'],
    ['1K', 'InvalidSuffix'],
    ['1ki', 'InvalidSuffix'],
    ['1mi', 'InvalidSuffix'],
    ['1e', 'InvalidSuffix'],
    ['1e1.5', 'InvalidFormat'],
    ['Pi', 'InvalidNumber'],
    ['1e1001', 'OutOfRange'],
  ])('rejects %j as %s', (text, code) => {
    let thrown: unknown;
    try {
      parseQuantity(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(QuantityError);
    expect(thrown).toMatchObject({ code, text });
    expect((thrown as Error).message).toContain(JSON.stringify(text));
  });

  it('rejects a text of more than a thousand characters, of which it quotes the beginning', () => {
    expect(parseQuantity('0'.repeat(999) + '1')).toMatchObject({ unscaled: 1n });
    expect(() => parseQuantity('1'.repeat(1001))).toThrow(`invalid quantity "${'1'.repeat(20)}…"`);
  });

  it('rejects malformed quantities', () => {
    expect(() => parseQuantity(Number.NaN)).toThrow(QuantityError);
    expect(() => parseQuantity(Number.POSITIVE_INFINITY)).toThrow(QuantityError);
  });
});

describe('quantityValue and quantityMilliValue', () => {
  it('round up', () => {
    expect(quantityValue(parseQuantity('100m'))).toBe(1n);
    expect(quantityValue(parseQuantity('1.1Ki'))).toBe(1127n);
    expect(quantityMilliValue(parseQuantity('1n'))).toBe(1n);
    expect(quantityMilliValue(parseQuantity('-1500u'))).toBe(-2n);
  });

  it('overflow as in a kubelet', () => {
    expect(quantityValue(parseQuantity('100E'))).toBe(0n);
    expect(quantityMilliValue(parseQuantity('5Ei'))).toBe(-(2n ** 63n));
  });
});

describe('cpuMillis and quantityNumber', () => {
  it('return zero without a quantity', () => {
    expect([cpuMillis(undefined), quantityNumber(undefined)]).toEqual([0, 0]);
  });

  it('return numbers', () => {
    expect(cpuMillis('250m')).toBe(250);
    expect(cpuMillis(2)).toBe(2000);
    expect(quantityNumber('1Gi')).toBe(1_073_741_824);
  });
});

describe('sums', () => {
  it('use the format of the first summand, unless that is zero', () => {
    const add = (a: string, b: string): string => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
    expect(add('1Gi', '1G')).toBe('2073741824');
    expect(add('512Mi', '512Mi')).toBe('1Gi');
    expect(add('0', '1Gi')).toBe('1Gi');
    expect(add('1', '1m')).toBe('1001m');
    expect(add('9E', '9E')).toBe('18E');
  });

  it('do not keep the text of a summand', () => {
    expect(formatQuantity(addQuantities(parseQuantity('5.'), parseQuantity('0')))).toBe('5');
    expect(formatQuantity(subtractQuantities(parseQuantity('0'), parseQuantity('5.')))).toBe('-5');
  });
});

const formats: readonly QuantityFormat[] = ['decimalSI', 'binarySI', 'decimalExponent'];
const quantities = fc
  .tuple(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.integer({ min: -9, max: 6 }), fc.constantFrom(...formats))
  .map((args) => makeQuantity(...args));
const texts = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.nat({ max: 10 ** 9 }),
    fc.constantFrom('', '.', '.5', '.25', '.000000001'),
    fc.constantFrom(
      'n',
      'u',
      'm',
      '',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'Pi',
      'Ei',
      'e3',
      'E-2',
      'e+1',
    ),
  )
  .map((parts) => parts.join(''));
const equal = (a: ParsedQuantity, b: ParsedQuantity): boolean => compareQuantities(a, b) === 0;

describe('for any quantity', () => {
  it('formatting and parsing gives the same value, and the same text again in the same family of suffixes', () => {
    fc.assert(
      fc.property(fc.oneof(quantities, texts.map(parseQuantity)), (quantity) => {
        const text = formatQuantity(quantity);
        const read = parseQuantity(text);
        // Reading caps what is written with a binary suffix.
        fc.pre(!/[KMGTPE]i$/.test(text) || equal(read, quantity));
        expect(equal(read, quantity)).toBe(true);
        if (read.format === quantity.format) expect(formatQuantity(read)).toBe(text);
      }),
      { seed: 1 },
    );
  });

  it('the value is the next integer away from zero, if it fits into an int64', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        fc.pre(!quantity.wide);
        const value = quantityValue(quantity);
        fc.pre(value !== 0n || isZeroQuantity(quantity));
        const distance = subtractQuantities(makeQuantity(value), quantity);
        const away = quantity.unscaled < 0n ? subtractQuantities(zeroQuantity, distance) : distance;
        expect(compareQuantities(away, zeroQuantity)).toBeGreaterThanOrEqual(0);
        expect(compareQuantities(away, makeQuantity(1))).toBeLessThan(0);
      }),
      { seed: 1 },
    );
  });

  it('comparison is a total order that addition preserves', () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        const order = Math.sign(compareQuantities(a, b));
        expect(compareQuantities(b, a)).toBe(-order || 0);
        expect(compareQuantities(addQuantities(a, c), addQuantities(b, c))).toBe(order);
        if (order <= 0 && compareQuantities(b, c) <= 0) expect(compareQuantities(a, c)).toBeLessThanOrEqual(0);
      }),
      { seed: 1 },
    );
  });

  it('subtraction reverts addition', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(equal(addQuantities(a, b), addQuantities(b, a))).toBe(true);
        expect(equal(subtractQuantities(addQuantities(a, b), b), a)).toBe(true);
      }),
      { seed: 1 },
    );
  });
});
