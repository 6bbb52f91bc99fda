import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { type MessageField, messageFields } from './message-fields.ts';

/** Media type of objects in Protocol Buffers. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Begin of each object. */
const MAGIC = Buffer.from('k8s\0');

type JsonObject = Record<string, unknown>;

/** Decodes an object in the Protocol Buffers of Kubernetes into its JSON; `undefined` for a kind or a field that this server does not read. */
export function decodeObject(bytes: Uint8Array): JsonObject | undefined {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return undefined;
  const { typeMeta, raw } = readEnvelope(bytes.subarray(MAGIC.length));
  const { kind = '' } = typeMeta;
  const decoded = raw && decodeMessage(kind, raw);
  return decoded && { ...typeMeta, ...decoded };
}

/** Reads `runtime.Unknown`: the type of an object, and the object itself. */
function readEnvelope(bytes: Uint8Array): {
  readonly typeMeta: { apiVersion?: string; kind?: string };
  readonly raw: Uint8Array | undefined;
} {
  const typeMeta: { apiVersion?: string; kind?: string } = {};
  let raw: Uint8Array | undefined;
  forEachField(bytes, (number, wireType, reader) => {
    if (number === 2) raw = reader.bytes();
    else if (number !== 1) reader.skip(wireType, number);
    else {
      forEachField(reader.bytes(), (part, partType, inner) => {
        if (part === 1) typeMeta.apiVersion = inner.string();
        else if (part === 2) typeMeta.kind = inner.string();
        else inner.skip(partType, part);
      });
    }
  });
  return { typeMeta, raw };
}

function decodeMessage(name: string, bytes: Uint8Array): JsonObject | undefined {
  const fields = messageFields(name);
  if (fields === undefined) return undefined;
  const decoded: JsonObject = {};
  let isKnown = true;
  forEachField(bytes, (number, wireType, reader) => {
    const field = fields.get(number);
    if (field === undefined || field.type === 'skipped') {
      isKnown &&= field !== undefined;
      reader.skip(wireType, number);
      return;
    }
    const value = readValue(field, reader);
    isKnown &&= value !== undefined;
    add(decoded, field, value);
  });
  return isKnown ? decoded : undefined;
}

function add(decoded: JsonObject, { name, type, isRepeated, isOptional }: MessageField, value: unknown): void {
  if (isRepeated) decoded[name] = [...((decoded[name] as unknown[] | undefined) ?? []), value];
  else if (type === 'map' || type === 'bytes-map')
    decoded[name] = { ...(decoded[name] as object), ...(value as object) };
  else if (isOptional || !isZero(value)) decoded[name] = value;
}

/** Reports whether a value is the zero of its type, which a field without a pointer has when it is absent. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function readValue({ type }: MessageField, reader: BinaryReader): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int':
      return Number(reader.int64());
    case 'map':
      return readEntry(reader.bytes(), (value) => value.string());
    case 'bytes-map':
      return readEntry(reader.bytes(), (value) => base64(value.bytes()));
    case 'int-or-string':
      return readIntOrString(reader.bytes());
    default:
      return decodeMessage(type.slice(1), reader.bytes());
  }
}

/** Reads an entry of a map. An absent value is empty. */
function readEntry(bytes: Uint8Array, read: (reader: BinaryReader) => string): JsonObject {
  let [key, value] = ['', ''];
  forEachField(bytes, (number, wireType, reader) => {
    if (number === 1) key = reader.string();
    else if (number === 2) value = read(reader);
    else reader.skip(wireType, number);
  });
  return { [key]: value };
}

function readIntOrString(bytes: Uint8Array): number | string {
  let [isText, int, text] = [false, 0, ''];
  forEachField(bytes, (number, wireType, reader) => {
    if (number === 1) isText = reader.int32() !== 0;
    else if (number === 2) int = reader.int32();
    else if (number === 3) text = reader.string();
    else reader.skip(wireType, number);
  });
  return isText ? text : int;
}

function forEachField(
  bytes: Uint8Array,
  visit: (number: number, wireType: WireType, reader: BinaryReader) => void,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    visit(number, wireType, reader);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
