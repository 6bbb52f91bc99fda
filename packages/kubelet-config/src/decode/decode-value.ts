import { parseGoDuration } from '@rxlet/component-base/go';
import { formatQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import type { FieldType, StructFields } from '../schema/field-types.ts';
import { goDurationText } from './go-duration-text.ts';
import { isJsonObject, JsonNumber, type JsonObject, jsonType, type JsonValue } from './json-value.ts';

/** A value does not fit the type of its field. */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError';
}

/** How the keys of an object are matched to fields. */
export interface DecodeOptions {
  /** Called with the path of each key that is no field. */
  onUnknownField?(path: string): void;
  /** Whether a key that differs in case matches too, as in Go's own decoder; of several keys the last one in byte order counts. */
  readonly ignoreCase?: boolean;
}

/**
 * Decodes an object into values of its fields: durations in milliseconds, quantities in canonical form. Null means not set, except for a duration that is no
 * pointer, where it is an error.
 * @throws FieldTypeError naming the field
 */
export function decodeStruct(
  fields: StructFields,
  object: JsonObject,
  path: string,
  options: DecodeOptions,
): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  const entries = options.ignoreCase === true ? [...object].toSorted(byKey) : object;
  for (const [key, value] of entries) {
    const name = fieldName(fields, key, options.ignoreCase === true);
    const at = path === '' ? (name ?? key) : `${path}.${name ?? key}`;
    if (name === undefined) options.onUnknownField?.(at);
    else if (value !== null) decoded[name] = decodeValue(fields[name]!, value, at, options);
    else if (fields[name]!.kind === 'duration') throw new FieldTypeError(`${at}: a duration must not be null`);
  }
  return decoded;
}

function byKey([left]: readonly [string, JsonValue], [right]: readonly [string, JsonValue]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function fieldName(fields: StructFields, key: string, ignoreCase: boolean): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  if (!ignoreCase) return undefined;
  const lower = key.toLowerCase();
  return Object.keys(fields).find((name) => name.toLowerCase() === lower);
}

function decodeValue(type: FieldType, value: JsonValue, path: string, options: DecodeOptions): unknown {
  switch (type.kind) {
    case 'pointer':
      return decodeValue(type.of, value, path, options);
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(value, path, 'bool');
    case 'text':
      return typeof value === 'string' ? value : mismatch(value, path, 'string');
    case 'integer':
      return decodeInteger(type, value, path);
    case 'float64':
      return decodeFloat(value, path);
    case 'logDuration':
      return value instanceof JsonNumber ? decodeNanoseconds(value, path) : goDurationText(decodeDuration(value, path));
    case 'duration':
      return decodeDuration(value, path);
    case 'quantity':
      return decodeQuantity(value, path);
    case 'time':
      return decodeTime(value, path);
    case 'list':
      if (!Array.isArray(value)) return mismatch(value, path, 'list');
      return (value as readonly JsonValue[]).map((item, index) =>
        decodeItem(type.of, item, `${path}[${String(index)}]`, options),
      );
    case 'map':
      if (!isJsonObject(value)) return mismatch(value, path, 'object');
      return Object.fromEntries(
        [...value].map(([key, item]) => [key, decodeItem(type.of, item, `${path}.${key}`, options)]),
      );
    case 'struct':
      if (!isJsonObject(value)) return mismatch(value, path, 'object');
      return decodeStruct(type.fields, value, path, options);
  }
}

/** Decodes a value of a list or map, where null means zero. */
function decodeItem(type: FieldType, value: JsonValue, path: string, options: DecodeOptions): unknown {
  return value === null ? zeroOf(type) : decodeValue(type, value, path, options);
}

function zeroOf(type: FieldType): unknown {
  switch (type.kind) {
    case 'boolean':
      return false;
    case 'integer':
    case 'float64':
    case 'duration':
    case 'logDuration':
      return 0;
    case 'quantity':
      return '0';
    case 'list':
      return [];
    case 'map':
    case 'struct':
      return {};
    case 'text':
    case 'time':
      return '';
    case 'pointer':
      return undefined;
  }
}

function decodeInteger(
  { min, max, goType }: Extract<FieldType, { kind: 'integer' }>,
  value: JsonValue,
  path: string,
): number {
  if (!(value instanceof JsonNumber)) return mismatch(value, path, goType);
  const number = /^-?\d+$/.test(value.text) ? BigInt(value.text) : undefined;
  if (number !== undefined && number >= min && number <= max) return Number(number);
  throw new FieldTypeError(`${path}: expected an integer (${goType}), got ${value.text}`);
}

function decodeFloat(value: JsonValue, path: string): number {
  if (!(value instanceof JsonNumber)) return mismatch(value, path, 'float64');
  const number = Number(value.text);
  if (Number.isFinite(number)) return number;
  throw new FieldTypeError(`${path}: ${value.text} is out of the range of float64`);
}

function decodeNanoseconds({ text }: JsonNumber, path: string): number {
  if (/^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return Number(text);
  throw new FieldTypeError(`${path}: invalid duration "${text}": expected text like 5s, or whole nanoseconds`);
}

function decodeDuration(value: JsonValue, path: string): number {
  if (typeof value !== 'string') return mismatch(value, path, 'string');
  const ms = parseGoDuration(value);
  if (ms !== undefined) return ms;
  throw new FieldTypeError(`${path}: invalid duration "${value}": expected text like 20s or 1m30s`);
}

function decodeQuantity(value: JsonValue, path: string): string {
  const source = value instanceof JsonNumber ? value.text : value;
  if (typeof source !== 'string') return mismatch(value, path, 'quantity');
  try {
    return formatQuantity(parseQuantity(source.trim()));
  } catch (cause) {
    throw new FieldTypeError(`${path}: invalid quantity "${source}": expected a number like 100m or 10Mi`, { cause });
  }
}

function decodeTime(value: JsonValue, path: string): string {
  if (typeof value !== 'string') return mismatch(value, path, 'time');
  if (isRfc3339(value)) return value;
  throw new FieldTypeError(`${path}: invalid time "${value}": expected RFC 3339`);
}

function mismatch(value: JsonValue, path: string, goType: string): never {
  throw new FieldTypeError(`${path}: expected a value of type ${goType}, got ${jsonType(value)}`);
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?:Z|[+-]([01]\d|2[0-4]):[0-5]\d)$/;

function isRfc3339(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  // A day that the month does not have becomes one of the next month.
  return (
    day !== undefined && new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  );
}
