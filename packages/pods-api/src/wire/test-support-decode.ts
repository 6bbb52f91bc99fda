import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { fieldOf, tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { wireFields } from './wire-fields.ts';

/** Decodes a message to the object in JSON, with all its zero values. @throws Error for bytes that Kubernetes would not write */
export function decodeMessage(type: TypeName, bytes: Uint8Array): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  decodeFields(type.slice(type.lastIndexOf('.') + 1), type, bytes, object);
  return object;
}

function decodeFields(name: string, type: TypeName, bytes: Uint8Array, object: Record<string, unknown>): void {
  const entries = wireFields[name]!.trim().split(/\s+/);
  const reader = new BinaryReader(bytes);
  const seen = new Set<number>();
  let last = 0;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number < last) throw new Error(`field ${String(number)} of ${name} is not in order`);
    last = number;
    seen.add(number);
    const entry = entries.find((each) => new RegExp(`:${String(number)}\\??$`).test(each));
    if (entry === undefined) throw new Error(`unknown field ${String(number)} of ${name}`);
    const inner = /^\{(\w+)\}/.exec(entry)?.[1];
    if (inner !== undefined) decodeFields(inner, type, reader.bytes(), object);
    else decodeField(reader, wireType, entry.split(':')[0]!, type, object);
  }
  for (const entry of entries) requireWritten(entry, type, seen);
}

/** A field that is neither a pointer nor a list or map is always written. */
function requireWritten(entry: string, type: TypeName, seen: ReadonlySet<number>): void {
  const number = Number(/\d+/.exec(entry.split(':')[1]!)?.[0]);
  const kind = entry.startsWith('{') ? 'inner' : fieldOf(tables[type], entry.split(':')[0]!)?.type;
  if (seen.has(number) || entry.endsWith('?') || kind === 'array' || kind === 'map') return;
  throw new Error(`the field ${entry} of ${type} is absent`);
}

function decodeField(
  reader: BinaryReader,
  wireType: WireType,
  name: string,
  type: TypeName,
  object: Record<string, unknown>,
): void {
  const field = fieldOf(tables[type], name)!;
  if (field.type === 'array') {
    const list = (object[name] ??= []) as unknown[];
    list.push(decodeValue(reader, wireType, field.items));
  } else if (field.type === 'map') {
    const map = (object[name] ??= {}) as Record<string, unknown>;
    const entry = new BinaryReader(reader.bytes());
    entry.tag();
    const key = entry.string();
    const [, valueType] = entry.tag();
    Object.defineProperty(map, key, {
      value: decodeValue(entry, valueType, field.items),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else if (name in object) {
    throw new Error(`the field ${name} of ${type} is written twice`);
  } else {
    object[name] = decodeValue(reader, wireType, field);
  }
}

function decodeValue(reader: BinaryReader, wireType: WireType, table: ValueTable): unknown {
  const isVarint = table.type === 'integer' || table.type === 'boolean';
  if (wireType !== (isVarint ? WireType.Varint : WireType.LengthDelimited)) throw new Error('wrong type of field');
  switch (table.type) {
    case 'integer':
      return Number(reader.int64());
    case 'boolean':
      return reader.bool();
    case 'string':
      return reader.string();
    case 'object-ref':
      return decodeMessage(table.ref, reader.bytes());
    case 'quantity':
      return parts(reader.bytes())[0];
    case 'int-or-string': {
      const [kind, number, text] = parts(reader.bytes());
      return kind === 1 ? text : number;
    }
    case 'date-time': {
      const [seconds] = parts(reader.bytes());
      return seconds === undefined ? null : new Date(Number(seconds) * 1000).toISOString();
    }
    case 'any': {
      const [text] = parts(reader.bytes());
      return text === undefined ? null : JSON.parse(String(text));
    }
    default:
      throw new Error(`cannot decode ${table.type}`);
  }
}

/** Decodes the fields of a small message, numbers and texts. */
function parts(bytes: Uint8Array): (string | number)[] {
  const reader = new BinaryReader(bytes);
  const values: (string | number)[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number !== values.length + 1) throw new Error('a part is absent');
    values.push(wireType === WireType.Varint ? Number(reader.int64()) : reader.string());
  }
  return values;
}
