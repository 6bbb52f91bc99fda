const MAX_DIGITS = 19;

/** Parses a decimal number as Go parses an `int64`. Returns `undefined` for another text, and for a number beyond 64 bits, in time linear in the length of the text. */
export function parseInt64(text: string): bigint | undefined {
  const unsigned = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  // No pattern here goes back, which takes memory for each character of a long text.
  if (unsigned === '' || /\D/.test(unsigned)) return undefined;
  const start = unsigned.search(/[1-9]/);
  if (start < 0) return 0n;
  // The conversion of very many digits takes time quadratic in their number.
  if (unsigned.length - start > MAX_DIGITS) return undefined;
  const value = BigInt(unsigned.slice(start)) * (text.startsWith('-') ? -1n : 1n);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}
