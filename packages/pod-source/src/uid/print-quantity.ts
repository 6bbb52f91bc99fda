import { type ParsedQuantity, parseQuantity, type QuantityFormat } from '@rxlet/pod-model/quantity';

const formats: Readonly<Record<QuantityFormat, string>> = {
  binarySI: 'BinarySI',
  decimalExponent: 'DecimalExponent',
  decimalSI: 'DecimalSI',
};
/** Resolution of resource lists. */
const MILLI = -3;
const WORD_BITS = 64n;

/** A quantity with the text that Go keeps for it. */
export interface InternalQuantity {
  readonly quantity: ParsedQuantity;
  /** Empty when the quantity must be formatted to get one. */
  readonly text: string;
}

/** Reads a quantity as the API server does. */
export function readQuantity(text: string | number): InternalQuantity {
  const quantity = parseQuantity(text);
  return { quantity, text: String(text) === '0' ? '0' : (quantity.text ?? '') };
}

/** Rounds a quantity up to thousandths, as the API server does for resource lists. */
export function roundQuantity(given: InternalQuantity): InternalQuantity {
  const { unscaled, exponent, wide } = given.quantity;
  if (!wide && exponent >= MILLI) return given;
  if (exponent >= MILLI) {
    const scaled = unscaled * 10n ** BigInt(exponent - MILLI);
    return { quantity: { ...given.quantity, unscaled: scaled, exponent: MILLI }, text: '' };
  }
  const divisor = 10n ** BigInt(MILLI - exponent);
  const magnitude = unscaled < 0n ? -unscaled : unscaled;
  const rounded = (magnitude + divisor - 1n) / divisor;
  const quantity = { ...given.quantity, unscaled: unscaled < 0n ? -rounded : rounded, exponent: MILLI };
  return { quantity, text: '' };
}

/** Prints the fields of a quantity; those of the zero value without one. */
export function printQuantity(given: InternalQuantity | undefined): string {
  if (given === undefined) return quantityText('0', '0', '<nil>', '', '');
  const { unscaled, exponent, format, wide } = given.quantity;
  if (!wide) return quantityText(String(unscaled), String(exponent), '<nil>', given.text, formats[format]);
  const big = `{neg:(bool)${String(unscaled < 0n)} abs:(big.nat)${printWords(unscaled < 0n ? -unscaled : unscaled)}}`;
  const decimal = `{unscaled:(big.Int)${big} scale:(inf.Scale)${String(-exponent)}}`;
  return quantityText('0', '0', decimal, given.text, formats[format]);
}

function quantityText(value: string, scale: string, decimal: string, text: string, format: string): string {
  const narrow = `{value:(int64)${value} scale:(resource.Scale)${scale}}`;
  return `{i:(resource.int64Amount)${narrow} d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} s:(string)${text} Format:(resource.Format)${format}}`;
}

/** Prints the words of a number, the least significant first. */
function printWords(number: bigint): string {
  const words: string[] = [];
  for (let rest = number; rest > 0n; rest >>= WORD_BITS) words.push(String(BigInt.asUintN(64, rest)));
  return words.length === 0 ? '<nil>' : `[${words.join(' ')}]`;
}
