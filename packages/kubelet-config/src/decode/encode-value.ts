import type { FieldType, StructFields } from '../schema/field-types.ts';
import { goDurationText } from './go-duration-text.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './json-value.ts';

/** Encodes values of fields as JSON of the API, the inverse of decoding. Zeros are left out, except those of durations and pointers. */
export function encodeStruct(fields: StructFields, values: object): JsonObject {
  const encoded = new Map<string, JsonValue>();
  for (const [name, type] of Object.entries(fields)) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (type.kind === 'duration') encoded.set(name, encodeValue(type, value ?? 0));
    else if (value !== undefined && (type.kind === 'pointer' || !isZero(value)))
      encoded.set(name, encodeValue(type, value));
  }
  return encoded;
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === false || value === 0 || value === '' || value === null;
}

function encodeValue(type: FieldType, value: unknown): JsonValue {
  switch (type.kind) {
    case 'pointer':
      return encodeValue(type.of, value);
    case 'duration':
      return goDurationText(value as number);
    case 'logDuration':
      return typeof value === 'number' ? new JsonNumber(String(value)) : (value as string);
    case 'integer':
      return new JsonNumber(String(clamp(BigInt(value as number), type.min, type.max)));
    case 'float64':
      return new JsonNumber(String(value));
    case 'list':
      return (value as readonly unknown[]).map((item) => encodeValue(type.of, item));
    case 'map':
      return new Map(Object.entries(value as object).map(([key, item]) => [key, encodeValue(type.of, item)]));
    case 'struct':
      return encodeStruct(type.fields, value as object);
    case 'boolean':
      return value as boolean;
    case 'text':
    case 'quantity':
    case 'time':
      return value as string;
  }
}

/** Keeps an integer within its type: a JavaScript number rounds the largest ones of 64 bits beyond it. */
function clamp(value: bigint, min: bigint, max: bigint): bigint {
  return value < min ? min : value > max ? max : value;
}
