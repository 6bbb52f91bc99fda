const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const HEXADECIMAL =
  /^([+-]?)0[xX]_?([\da-fA-F]+(?:_[\da-fA-F]+)*)?(?:\.([\da-fA-F]+(?:_[\da-fA-F]+)*)?)?[pP]([+-]?\d+(?:_\d+)*)$/;
const NOT_FINITE: readonly (readonly [RegExp, number])[] = [
  [/^[+-]?nan$/i, NaN],
  [/^\+?inf(?:inity)?$/i, Infinity],
  [/^-inf(?:inity)?$/i, -Infinity],
];

/**
 * Reads a number of 32 bits as Go does: decimal or hexadecimal, with underscores between digits, NaN and infinities by name. `undefined` for another text, and for
 * one beyond the range.
 */
export function parseGoFloat32(text: string): number | undefined {
  const notFinite = NOT_FINITE.find(([pattern]) => pattern.test(text));
  if (notFinite !== undefined) return /^[+-]nan$/i.test(text) ? undefined : notFinite[1];
  const value = Math.fround(DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : parseHexadecimal(text));
  return Number.isFinite(value) ? value : undefined;
}

function parseHexadecimal(text: string): number {
  const [, sign, whole = '', fraction = '', exponent = ''] = HEXADECIMAL.exec(text.replaceAll('_', '')) ?? [];
  if (sign === undefined || whole + fraction === '' || !HEXADECIMAL.test(text)) return NaN;
  const mantissa = Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -mantissa : mantissa;
}
