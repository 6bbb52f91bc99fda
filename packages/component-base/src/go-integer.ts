const MAX_DIGITS = 19;

/** Parses a decimal number as Go parses an `int64`. Returns `undefined` for another text, and for a number beyond 64 bits, in time linear in the length of the text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*/, '');
  // The conversion of very many digits takes time quadratic in their number.
  if (digits.length > MAX_DIGITS) return undefined;
  const value = BigInt(`${text.startsWith('-') ? '-' : ''}${digits || '0'}`);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}
