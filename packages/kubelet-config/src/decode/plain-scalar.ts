import { parseGoInteger } from './go-integer.ts';
import { JsonNumber, type JsonValue } from './json-value.ts';

const FIXED: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
]);

const NOT_FINITE = /^(?:[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

/**
 * Returns the value of an unquoted YAML text as the kubelet reads it: by the rules of YAML 1.1 with Go's notations of integers, and without timestamps and
 * sexagesimal numbers. A number that no type can hold stays text.
 * @throws SyntaxError for infinity and NaN, which JSON does not have
 */
export function resolvePlainScalar(source: string): JsonValue {
  const fixed = FIXED.get(source);
  if (fixed !== undefined) return fixed;
  if (NOT_FINITE.test(source)) throw new SyntaxError(`unsupported number ${source}`);
  // Behind a point at the beginning, underscores must separate digits; elsewhere they may stand anywhere.
  const digits = source.startsWith('.') ? source.replaceAll(/(?<=\d)_(?=\d)/g, '') : source.replaceAll('_', '');
  if (!/^[+\-.\d]/.test(digits)) return source;
  const integer = parseGoInteger(digits);
  if (integer !== undefined && fits(integer, digits)) return new JsonNumber(String(integer));
  if (!FLOAT.test(digits)) return source;
  const float = Number(digits);
  return Number.isFinite(float) ? new JsonNumber(String(float)) : source;
}

function fits(integer: bigint, text: string): boolean {
  return integer >= MIN_INT64 && integer <= (text.startsWith('+') ? MAX_UINT64 >> 1n : MAX_UINT64);
}
