const INTEGER =
  /^([+-]?)(0[xX]_?[\da-fA-F]+(?:_[\da-fA-F]+)*|0[bB]_?[01]+(?:_[01]+)*|0[oO]?(?:_?[0-7]+)*|[1-9]\d*(?:_\d+)*)$/;

/** Reads an integer as Go does with an unknown base: `10`, `-0x1F`, `0o17`, `017`, `0b11`, `1_000`. `undefined` when the text is none. */
export function parseGoInteger(text: string): bigint | undefined {
  const [, sign, written = ''] = INTEGER.exec(text) ?? [];
  if (sign === undefined || /^0[oO]$/.test(written)) return undefined;
  const digits = written.replaceAll('_', '').replace(/^0(?=\d)/, '0o');
  return sign === '-' ? -BigInt(digits) : BigInt(digits);
}
