import { QuantityError } from './quantity-error.ts';

/** Which family of suffixes a quantity is written with: `100m`, `5k`; `1Gi`; `12e6`. */
export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent';

/**
 * A Kubernetes resource quantity, `unscaled * 10 ** exponent` exactly. Made by {@link parseQuantity} and the functions beside it; the fields are
 * for them alone.
 */
export interface ParsedQuantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /**
   * Whether Kubernetes holds it as a decimal of any size rather than as an int64 and a scale. Both are exact, but their conversions to int64
   * overflow differently, see {@link quantityValue}.
   */
  readonly wide: boolean;
  /** The text it was parsed from, when Kubernetes gives that back unchanged. */
  readonly text?: string | undefined;
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The finest step a quantity can take is 10 ** -9. */
const NANO = -9;

/** Decimal digits that surely fit an int64. */
const INT64_DIGITS = 18;

/** Kubernetes takes any exponent; beyond this one, comparing and adding would build numbers of absurd length. */
const LARGEST_EXPONENT = 1000;

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const decimalSuffixOf: ReadonlyMap<number, string> = new Map(
  [...decimalSuffixes].map(([suffix, exp]) => [exp, suffix]),
);
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const binaryExponents: ReadonlyMap<string, number> = new Map(
  binarySuffixes.flatMap((suffix, index) => (suffix === '' ? [] : [[suffix, index * 10] as const])),
);

const powersOfTen: readonly bigint[] = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));
const powerOfTen = (exponent: number): bigint => powersOfTen[exponent] ?? 10n ** BigInt(exponent);

const isInt64 = (value: bigint): boolean => value >= MIN_INT64 && value <= MAX_INT64;

/** Sign, integer digits, fraction digits, suffix. No part can stand for another, so that no text takes long to refuse. */
const pattern = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[+-]?[0-9]*)?)$/;
const exponentSuffix = /^[eE]([+-]?[0-9]+)$/;

interface Suffix {
  readonly format: QuantityFormat;
  /** Power of ten, or of two for binarySI. */
  readonly exponent: number;
}

function interpretSuffix(suffix: string): Suffix | undefined {
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { format: 'decimalSI', exponent: decimal };
  const binary = binaryExponents.get(suffix);
  if (binary !== undefined) return { format: 'binarySI', exponent: binary };
  const exponent = exponentSuffix.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { format: 'decimalExponent', exponent: Number(exponent) };
}

/**
 * Reads a quantity by Kubernetes' grammar (apimachinery `resource.Quantity`): an optional sign, a decimal number and a suffix. A JSON number is
 * read as its text. Values finer than a nano are rounded away from zero, values with a binary suffix are capped at `2 ** 63 - 1`.
 *
 * @throws {@link QuantityError}
 */
export function parseQuantity(quantity: string | number): ParsedQuantity {
  const text = String(quantity);
  const match = pattern.exec(text);
  if (match === null || text === '') throw new QuantityError('InvalidFormat', text);
  const [, sign = '', integerText = '', fraction = '', suffixText = ''] = match;
  const suffix = interpretSuffix(suffixText);
  if (suffix === undefined) throw new QuantityError('InvalidSuffix', text);
  if (suffix.exponent > LARGEST_EXPONENT) throw new QuantityError('OutOfRange', text);

  const negative = sign === '-';
  const integer = integerText.replace(/^0+/, '') || '0';
  const narrow = parseNarrow(text, negative, integer, fraction, suffix);
  if (narrow !== undefined) return narrow;
  // Only here does Kubernetes mind a number without any digit: `Ti` is zero, `Pi` an error.
  if (integerText === '' && fraction === '') throw new QuantityError('InvalidNumber', text);
  return parseWide(negative, BigInt(integer + fraction), fraction.length, suffix);
}

/** The form for nearly all quantities; undefined when the number has too many digits for it. */
function parseNarrow(
  text: string,
  negative: boolean,
  integer: string,
  fraction: string,
  suffix: Suffix,
): ParsedQuantity | undefined {
  const { format } = suffix;
  let exponent = 0;
  let unscaled: bigint;
  let given: boolean;
  if (format === 'binarySI') {
    // The unit itself takes about three digits for each ten bits.
    const digitsLeft = 15 - integer.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    if (fraction !== '' || digitsLeft < 0) return undefined;
    const number = BigInt(integer);
    unscaled = number << BigInt(suffix.exponent);
    // A multiple of eight may be a multiple of 1024, to be written with the next larger suffix.
    given = (number & 7n) !== 0n;
  } else {
    const digits = integer + fraction;
    exponent = suffix.exponent - fraction.length;
    if (digits.length > INT64_DIGITS || exponent < NANO) return undefined;
    unscaled = BigInt(digits);
    given = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  }
  return {
    unscaled: negative ? -unscaled : unscaled,
    exponent,
    format,
    wide: false,
    text: given ? text : undefined,
  };
}

function parseWide(negative: boolean, digits: bigint, fractionDigits: number, suffix: Suffix): ParsedQuantity {
  let { format } = suffix;
  let unscaled = digits;
  let exponent = -fractionDigits;
  if (format === 'binarySI') unscaled <<= BigInt(suffix.exponent);
  else exponent += suffix.exponent;

  if (unscaled !== 0n) {
    unscaled = exponent >= NANO ? unscaled * powerOfTen(exponent - NANO) : ceilShift(unscaled, NANO - exponent);
    exponent = NANO;
  }
  if (format === 'binarySI') {
    const one = powerOfTen(-exponent);
    if (unscaled > MAX_INT64 * one) {
      unscaled = MAX_INT64;
      exponent = 0;
    } else if (unscaled > 0n && unscaled < one) {
      format = 'decimalSI';
    }
  }
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, wide: true };
}

/** `ceil(value / 10 ** digits)` of a positive value. */
function ceilShift(value: bigint, digits: number): bigint {
  // Whatever is that small is one step; the divisor need not be built.
  if (digits > value.toString().length) return 1n;
  const divisor = powerOfTen(digits);
  return (value + divisor - 1n) / divisor;
}

/**
 * A quantity of `unscaled * 10 ** exponent`: `makeQuantity(250, -3)` is `250m`, `makeQuantity(2 ** 30, 0, 'binarySI')` is `1Gi`.
 */
export function makeQuantity(
  unscaled: bigint | number,
  exponent = 0,
  format: QuantityFormat = 'decimalSI',
): ParsedQuantity {
  const value = BigInt(unscaled);
  return { unscaled: value, exponent, format, wide: !isInt64(value) };
}

/** Nothing of anything. */
export const zeroQuantity: ParsedQuantity = makeQuantity(0);

/** Writes a quantity in canonical form: an integer with the largest suffix of its family that keeps it one. */
export function formatQuantity(quantity: ParsedQuantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  return (quantity.format === 'binarySI' ? formatBinary(quantity) : undefined) ?? formatDecimal(quantity);
}

/** Undefined when the value is no integer of at least 1024; such are written with decimal suffixes. */
function formatBinary({ unscaled, exponent }: ParsedQuantity): string | undefined {
  const one = powerOfTen(Math.max(0, -exponent));
  if (unscaled % one !== 0n) return undefined;
  let number = exponent >= 0 ? unscaled * powerOfTen(exponent) : unscaled / one;
  if (number > -1024n && number < 1024n) return undefined;
  let power = 0;
  // Past Ei there is no suffix to go to.
  while (power < binarySuffixes.length - 1 && number % 1024n === 0n) {
    number /= 1024n;
    power++;
  }
  return `${number}${binarySuffixes[power] ?? ''}`;
}

function formatDecimal({ unscaled, exponent, format }: ParsedQuantity): string {
  const digits = unscaled.toString();
  let zeros = 0;
  while (digits.charCodeAt(digits.length - 1 - zeros) === 0x30) zeros++;
  // Thousands only: what is left over goes back into the number.
  const left = (((exponent + zeros) % 3) + 3) % 3;
  const suffixExponent = exponent + zeros - left;
  const number = digits.slice(0, digits.length - zeros) + '0'.repeat(left);
  const suffix = format === 'decimalExponent' ? undefined : decimalSuffixOf.get(suffixExponent);
  if (suffix !== undefined) return number + suffix;
  return suffixExponent === 0 ? number : `${number}e${suffixExponent}`;
}

/**
 * The value as an integer, rounded away from zero, as an int64. Beyond an int64 it is what a kubelet computes: 0, or the low 64 bits when the
 * quantity is wide. Compare with {@link compareQuantities} first where that matters.
 */
export function quantityValue(quantity: ParsedQuantity): bigint {
  return scaledValue(quantity, 0);
}

/** A thousand times the value, rounded and limited as {@link quantityValue}. */
export function quantityMilliValue(quantity: ParsedQuantity): bigint {
  return scaledValue(quantity, -3);
}

/** The value in units of `10 ** scale`. */
function scaledValue({ unscaled, exponent, wide }: ParsedQuantity, scale: number): bigint {
  if (exponent >= scale) {
    const value = exponent === scale ? unscaled : unscaled * powerOfTen(exponent - scale);
    if (isInt64(value)) return value;
    return wide ? BigInt.asIntN(64, value) : 0n;
  }
  const divisor = powerOfTen(scale - exponent);
  if (wide && unscaled < 0n) {
    // Kubernetes cuts a wide negative number to 64 bits before it divides, and rounds the quotient up. No valid pod has one.
    const low = BigInt.asIntN(64, unscaled);
    return low / divisor + (low % divisor === 0n ? 0n : 1n);
  }
  const rounding = divisor - 1n;
  return BigInt.asIntN(64, (unscaled < 0n ? unscaled - rounding : unscaled + rounding) / divisor);
}

/** The exact sum. It is written like the first summand, unless that is zero. */
export function addQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  const wide = a.wide || b.wide;
  if (!wide && b.unscaled === 0n) return { unscaled: a.unscaled, exponent: a.exponent, format, wide };
  if (!wide && a.unscaled === 0n) return { unscaled: b.unscaled, exponent: b.exponent, format, wide };
  const exponent = Math.min(a.exponent, b.exponent);
  const left = atExponent(a, exponent);
  const right = atExponent(b, exponent);
  const unscaled = left + right;
  return { unscaled, exponent, format, wide: wide || !isInt64(left) || !isInt64(right) || !isInt64(unscaled) };
}

/** The exact difference `a - b`, written as {@link addQuantities} does. */
export function subtractQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  return addQuantities(a, {
    unscaled: -b.unscaled,
    exponent: b.exponent,
    format: b.format,
    wide: b.wide || !isInt64(-b.unscaled),
  });
}

/** Negative when `a` is less than `b`, zero when they are equal, positive when it is more; exact. */
export function compareQuantities(a: ParsedQuantity, b: ParsedQuantity): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = atExponent(a, exponent);
  const right = atExponent(b, exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

function atExponent({ unscaled, exponent }: ParsedQuantity, target: number): bigint {
  return exponent === target ? unscaled : unscaled * powerOfTen(exponent - target);
}

/** Whether the quantity is zero. */
export function isZeroQuantity(quantity: ParsedQuantity): boolean {
  return quantity.unscaled === 0n;
}

/** A CPU quantity in thousandths of a CPU, rounded up; 0 when there is none. */
export function cpuMillis(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : Number(quantityMilliValue(parseQuantity(quantity)));
}

/** A quantity's value as a number, rounded up to an integer; 0 when there is none. */
export function quantityNumber(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : Number(quantityValue(parseQuantity(quantity)));
}
