import { QuantityError } from './quantity-error.ts';

/** Family of suffixes of a quantity: `100m`, `5k`; `1Gi`; `12e6`. */
export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent';

/**
 * Kubernetes resource quantity with the exact value `unscaled * 10 ** exponent`. The fields are internal to {@link parseQuantity} and the other functions of
 * this module.
 */
export interface ParsedQuantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /**
   * Whether Kubernetes represents it as a decimal of any size instead of an int64 and a scale. Both are exact, but their conversions to int64
   * overflow differently, see {@link quantityValue}.
   */
  readonly wide: boolean;
  /** Original text, if Kubernetes formats the quantity unchanged. */
  readonly text?: string | undefined;
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Exponent of the smallest step of a quantity, 10 ** -9. */
const NANO = -9;

/** Number of decimal digits that always fit into an int64. */
const INT64_DIGITS = 18;

/** Largest accepted exponent. Kubernetes accepts any, but larger ones would make comparisons and sums build extremely long numbers. */
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

/** Longer texts take seconds to parse. No amount needs a tenth of them. */
const MAX_TEXT_LENGTH = 1_000;

/** Sign, integer digits, fraction digits, suffix. The parts do not overlap, so matching is linear. */
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
 * Parses a quantity by Kubernetes' grammar (apimachinery `resource.Quantity`): an optional sign, a decimal number and a suffix. A JSON number is
 * parsed as its text of at most 1,000 characters. Values finer than 10 ** -9 are rounded away from zero; values with a binary suffix are capped at `2 ** 63 - 1`.
 *
 * @throws {@link QuantityError}
 */
export function parseQuantity(quantity: string | number): ParsedQuantity {
  const text = String(quantity);
  if (text.length > MAX_TEXT_LENGTH) throw new QuantityError('InvalidFormat', `${text.slice(0, 20)}…`);
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
  // Like Kubernetes, reject a number without digits only here: `Ti` is zero, `Pi` an error.
  if (integerText === '' && fraction === '') throw new QuantityError('InvalidNumber', text);
  return parseWide(negative, BigInt(integer + fraction), fraction.length, suffix);
}

/** Parses nearly all quantities; returns `undefined` when the number has too many digits. */
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
    // The unit accounts for about three digits per ten bits.
    const digitsLeft = 15 - integer.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    if (fraction !== '' || digitsLeft < 0) return undefined;
    const number = BigInt(integer);
    unscaled = number << BigInt(suffix.exponent);
    // A multiple of eight may be a multiple of 1024, which is formatted with the next larger suffix.
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

/** Returns `ceil(value / 10 ** digits)` of a positive value. */
function ceilShift(value: bigint, digits: number): bigint {
  // The result is 1 without computing a huge divisor.
  if (digits > value.toString().length) return 1n;
  const divisor = powerOfTen(digits);
  return (value + divisor - 1n) / divisor;
}

/**
 * Creates a quantity of `unscaled * 10 ** exponent`: `makeQuantity(250, -3)` is `250m`, `makeQuantity(2 ** 30, 0, 'binarySI')` is `1Gi`.
 */
export function makeQuantity(
  unscaled: bigint | number,
  exponent = 0,
  format: QuantityFormat = 'decimalSI',
): ParsedQuantity {
  const value = BigInt(unscaled);
  return { unscaled: value, exponent, format, wide: !isInt64(value) };
}

/** Quantity 0. */
export const zeroQuantity: ParsedQuantity = makeQuantity(0);

/** Formats a quantity in canonical form: an integer with the largest possible suffix of its family. */
export function formatQuantity(quantity: ParsedQuantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  return (quantity.format === 'binarySI' ? formatBinary(quantity) : undefined) ?? formatDecimal(quantity);
}

/** Formats with a binary suffix; returns `undefined` unless the value is an integer of at least 1024. Other values have decimal suffixes. */
function formatBinary({ unscaled, exponent }: ParsedQuantity): string | undefined {
  const one = powerOfTen(Math.max(0, -exponent));
  if (unscaled % one !== 0n) return undefined;
  let number = exponent >= 0 ? unscaled * powerOfTen(exponent) : unscaled / one;
  if (number > -1024n && number < 1024n) return undefined;
  let power = 0;
  // Ei is the largest suffix.
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
  // Suffixes are multiples of three; the remaining zeros stay in the number.
  const left = (((exponent + zeros) % 3) + 3) % 3;
  const suffixExponent = exponent + zeros - left;
  const number = digits.slice(0, digits.length - zeros) + '0'.repeat(left);
  const suffix = format === 'decimalExponent' ? undefined : decimalSuffixOf.get(suffixExponent);
  if (suffix !== undefined) return number + suffix;
  return suffixExponent === 0 ? number : `${number}e${suffixExponent}`;
}

/**
 * Returns the value as an int64, rounded away from zero. A value that overflows gives the kubelet's result: 0, or the low 64 bits if the
 * quantity is wide. Compare with {@link compareQuantities} first where that matters.
 */
export function quantityValue(quantity: ParsedQuantity): bigint {
  return scaledValue(quantity, 0);
}

/** Returns the value times 1000, rounded and limited like {@link quantityValue}. */
export function quantityMilliValue(quantity: ParsedQuantity): bigint {
  return scaledValue(quantity, -3);
}

/** Returns the value in units of `10 ** scale`. */
function scaledValue({ unscaled, exponent, wide }: ParsedQuantity, scale: number): bigint {
  if (exponent >= scale) {
    const value = exponent === scale ? unscaled : unscaled * powerOfTen(exponent - scale);
    if (isInt64(value)) return value;
    return wide ? BigInt.asIntN(64, value) : 0n;
  }
  const divisor = powerOfTen(scale - exponent);
  if (wide && unscaled < 0n) {
    // Kubernetes truncates a wide negative number to 64 bits before the division, and rounds the quotient up. No valid pod has one.
    const low = BigInt.asIntN(64, unscaled);
    return low / divisor + (low % divisor === 0n ? 0n : 1n);
  }
  const rounding = divisor - 1n;
  return BigInt.asIntN(64, (unscaled < 0n ? unscaled - rounding : unscaled + rounding) / divisor);
}

/** Returns the exact sum, in the format of the first summand unless that is zero. */
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

/** Returns the exact difference `a - b`, in the format of {@link addQuantities}. */
export function subtractQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  return addQuantities(a, {
    unscaled: -b.unscaled,
    exponent: b.exponent,
    format: b.format,
    wide: b.wide || !isInt64(-b.unscaled),
  });
}

/** Compares exactly. Returns a negative number when `a` is less than `b`, 0 when they are equal, a positive number otherwise. */
export function compareQuantities(a: ParsedQuantity, b: ParsedQuantity): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = atExponent(a, exponent);
  const right = atExponent(b, exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

function atExponent({ unscaled, exponent }: ParsedQuantity, target: number): bigint {
  return exponent === target ? unscaled : unscaled * powerOfTen(exponent - target);
}

/** Reports whether the quantity is zero. */
export function isZeroQuantity(quantity: ParsedQuantity): boolean {
  return quantity.unscaled === 0n;
}

/** Returns a CPU quantity in thousandths of a CPU, rounded up; 0 for `undefined`. */
export function cpuMillis(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : Number(quantityMilliValue(parseQuantity(quantity)));
}

/** Returns the value of a quantity as a number, rounded up to an integer; 0 for `undefined`. */
export function quantityNumber(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : Number(quantityValue(parseQuantity(quantity)));
}
export { QuantityError, type QuantityErrorCode } from './quantity-error.ts';
