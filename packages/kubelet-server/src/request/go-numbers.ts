import { goQuote, parseInt64 } from '@rxlet/component-base/go';

const MAX_UINT_DIGITS = 20;

/** Parses an unsigned number as Go's `strconv.ParseUint` with base 10. Returns Go's message for another text. */
export function parseGoUint(text: string, bits: number): bigint | string {
  if (!/^\d+$/.test(text)) return failure('ParseUint', text, 'invalid syntax');
  const digits = text.replace(/^0+/, '');
  // The conversion of a very long text takes long.
  if (digits.length > MAX_UINT_DIGITS) return failure('ParseUint', text, 'value out of range');
  const value = BigInt(digits || '0');
  return value === BigInt.asUintN(bits, value) ? value : failure('ParseUint', text, 'value out of range');
}

/** Parses a number as Go's `strconv.Atoi` on a 64-bit machine. Returns Go's message for another text. */
export function parseGoInt(text: string): bigint | string {
  if (!/^[+-]?\d+$/.test(text)) return failure('Atoi', text, 'invalid syntax');
  return parseInt64(text) ?? failure('Atoi', text, 'value out of range');
}

function failure(call: string, text: string, cause: string): string {
  return `strconv.${call}: parsing ${goQuote(text)}: ${cause}`;
}
