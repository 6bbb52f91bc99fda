import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { fieldOf, tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { type FieldWriter, scalarWriter, writeString } from './encode-scalar.ts';
import { within } from './encoding-error.ts';
import { wireFields } from './wire-fields.ts';

/** Writes the fields of a message with the values of an object in JSON. */
export type MessageWriter = (writer: BinaryWriter, object: JsonObject) => void;

/** An object in JSON whose type is that of its message. */
export type JsonObject = Readonly<Record<string, unknown>>;

const writers = new Map<string, MessageWriter>();

/** Returns the writer of a type, which is created with its first use. */
export function messageWriter(type: TypeName): MessageWriter {
  const name = type.slice(type.lastIndexOf('.') + 1);
  return writerOf(name, type);
}

/** Returns the writer of the message `name`, whose fields JSON has in objects of `type`. */
function writerOf(name: string, type: TypeName): MessageWriter {
  const key = `${name} ${type}`;
  let writer = writers.get(key);
  if (writer === undefined) {
    writer = createWriter(name, type);
    writers.set(key, writer);
  }
  return writer;
}

function createWriter(name: string, type: TypeName): MessageWriter {
  const entries = wireFields[name]?.trim().split(/\s+/);
  if (entries === undefined) throw new Error(`no field numbers of the message ${name}`);
  const parts = entries.map((entry) => partWriter(entry, type));
  return (writer, object) => {
    for (const write of parts) write(writer, object);
  };
}

/** Returns the writer of an entry of {@link wireFields}. */
function partWriter(entry: string, type: TypeName): MessageWriter {
  const [, inner, name = '', digits, mark] = /^(?:\{(\w+)\}|(\w+)):(\d+)(\?)?$/.exec(entry) ?? [];
  const number = Number(digits);
  if (inner !== undefined) {
    const write = writerOf(inner, type);
    return (writer, object) => {
      writer.tag(number, WireType.LengthDelimited).fork();
      write(writer, object);
      writer.join();
    };
  }
  const field = fieldOf(tables[type], name);
  if (field === undefined) throw new Error(`no field ${entry} in ${type}`);
  const write = fieldWriter(field);
  return (writer, object) => {
    const value = object[name] ?? undefined;
    if (value === undefined && mark !== undefined) return;
    try {
      write(writer, number, value);
    } catch (error) {
      throw within(name, error);
    }
  };
}

function fieldWriter(table: ValueTable): FieldWriter {
  switch (table.type) {
    case 'object-ref':
      return objectWriter(table.ref);
    case 'array':
      return listWriter(fieldWriter(table.items));
    case 'map':
      return mapWriter(fieldWriter(table.items));
    default:
      return scalarWriter(table.type);
  }
}

function objectWriter(type: TypeName): FieldWriter {
  // Not before it is needed: most pods have few of the types.
  let writeFields: MessageWriter | undefined;
  return (writer, number, value = {}) => {
    const object = requireObject(value);
    writeFields ??= messageWriter(type);
    writer.tag(number, WireType.LengthDelimited).fork();
    writeFields(writer, object);
    writer.join();
  };
}

/** Numbers are not packed, as in proto2. */
function listWriter(writeItem: FieldWriter): FieldWriter {
  return (writer, number, value = []) => {
    if (!Array.isArray(value)) throw new TypeError('not a list');
    for (const [index, item] of value.entries()) {
      try {
        // In a list, null is the zero value.
        writeItem(writer, number, item ?? undefined);
      } catch (error) {
        throw within(`[${String(index)}]`, error);
      }
    }
  };
}

/** An entry is `{ string key = 1; value = 2 }`. Entries are sorted by the bytes of the keys. */
function mapWriter(writeValue: FieldWriter): FieldWriter {
  return (writer, number, value = {}) => {
    const keys = Object.keys(requireObject(value));
    if (keys.length > 1) keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const key of keys) {
      writer.tag(number, WireType.LengthDelimited).fork();
      writeString(writer, 1, key);
      try {
        writeValue(writer, 2, (value as JsonObject)[key] ?? undefined);
      } catch (error) {
        throw within(`[${JSON.stringify(key)}]`, error);
      }
      writer.join();
    }
  };
}

function requireObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as JsonObject;
}
