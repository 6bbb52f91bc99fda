import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ScalarTable } from '@rxlet/kube-api/tables';
import { formatQuantity, parseQuantity } from '@rxlet/pod-model/quantity';

/**
 * Writes a field with a value of JSON; `undefined` stands for the zero value of Go's type.
 *
 * @throws TypeError, or QuantityError, for a value of another type
 */
export type FieldWriter = (writer: BinaryWriter, number: number, value: unknown) => void;

/** Returns the writer of a scalar type. */
export function scalarWriter(type: ScalarTable['type']): FieldWriter {
  return scalarWriters[type];
}

/** Writes a string as bytes of UTF-8. */
export const writeString: FieldWriter = (writer, number, value = '') => {
  if (typeof value !== 'string') throw new TypeError('not a string');
  writer.tag(number, WireType.LengthDelimited).string(value);
};

const MAX_INT64 = 2n ** 63n - 1n;

/** Integers of 32 bits have the bytes of those of 64 bits. The largest one of Go was rounded up by one when its JSON was parsed. */
const writeInteger: FieldWriter = (writer, number, value = 0) => {
  if (!Number.isInteger(value) || Math.abs(value as number) > 2 ** 63) throw new TypeError('not an integer');
  const integer = BigInt(value as number);
  writer.tag(number, WireType.Varint).int64(integer > MAX_INT64 ? MAX_INT64 : integer);
};

const writeBoolean: FieldWriter = (writer, number, value = false) => {
  if (typeof value !== 'boolean') throw new TypeError('not a boolean');
  writer.tag(number, WireType.Varint).bool(value);
};

/** `Quantity { string string = 1 }`, in canonical form. */
const writeQuantity: FieldWriter = (writer, number, value = '0') => {
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError('not a quantity');
  writer.tag(number, WireType.LengthDelimited).fork();
  writeString(writer, 1, formatQuantity(parseQuantity(value)));
  writer.join();
};

/** `IntOrString { int64 type = 1; int32 intVal = 2; string strVal = 3 }`; the type of a string is 1. */
const writeIntOrString: FieldWriter = (writer, number, value = 0) => {
  const isString = typeof value === 'string';
  writer.tag(number, WireType.LengthDelimited).fork();
  writeInteger(writer, 1, isString ? 1 : 0);
  writeInteger(writer, 2, isString ? 0 : value);
  writeString(writer, 3, isString ? value : '');
  writer.join();
};

/** Go's zero time, which is written as an empty message. */
const ZERO_TIME_MS = Date.parse('0001-01-01T00:00:00Z');

/** `Time { int64 seconds = 1; int32 nanos = 2 }`. Kubernetes writes whole seconds. */
const writeTime: FieldWriter = (writer, number, value) => {
  writer.tag(number, WireType.LengthDelimited).fork();
  if (value !== undefined) {
    const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(timeMs)) throw new TypeError('not a time');
    if (timeMs !== ZERO_TIME_MS) {
      writeInteger(writer, 1, Math.floor(timeMs / 1000));
      writeInteger(writer, 2, 0);
    }
  }
  writer.join();
};

/** `FieldsV1 { bytes Raw = 1 }`: the text of the JSON. */
const writeJson: FieldWriter = (writer, number, value) => {
  writer.tag(number, WireType.LengthDelimited).fork();
  if (value !== undefined) writeString(writer, 1, JSON.stringify(value));
  writer.join();
};

const scalarWriters: Readonly<Record<ScalarTable['type'], FieldWriter>> = {
  string: writeString,
  integer: writeInteger,
  boolean: writeBoolean,
  quantity: writeQuantity,
  'int-or-string': writeIntOrString,
  'date-time': writeTime,
  any: writeJson,
  number: () => {
    throw new TypeError('no pod has a floating-point number');
  },
};
