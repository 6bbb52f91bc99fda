/** A value of a message. Objects, arrays and dictionaries are not supported. */
export type DbusValue = string | number | bigint | boolean;

/** A message of D-Bus, reduced to what calls and signals need. */
export interface DbusMessage {
  readonly type: number;
  readonly serial: number;
  readonly path?: string | undefined;
  readonly interface?: string | undefined;
  readonly member?: string | undefined;
  readonly errorName?: string | undefined;
  readonly replySerial?: number | undefined;
  readonly destination?: string | undefined;
  readonly sender?: string | undefined;
  readonly signature: string;
  /** The content of variants takes their place. */
  readonly body: readonly DbusValue[];
}

/** Types of messages. */
export const MessageType = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** Bytes that do not follow the protocol, or use a part of it that is not supported. */
export class DbusProtocolError extends Error {
  override readonly name = 'DbusProtocolError';
}

/** A variant whose content is not supported. */
class UnsupportedVariantError extends DbusProtocolError {}

const LITTLE_ENDIAN = 0x6c;
const BIG_ENDIAN = 0x42;
const PROTOCOL_VERSION = 1;
const FIXED_BYTES = 16;
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Header fields by their code, with their type. */
const FIELDS = [
  [1, 'path', 'o'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'errorName', 's'],
  [5, 'replySerial', 'u'],
  [6, 'destination', 's'],
  [7, 'sender', 's'],
  [8, 'signature', 'g'],
] as const;

/** Returns the bytes of a message in little endian. */
export function encodeMessage(message: DbusMessage): Buffer {
  const body = createWriter();
  [...message.signature].forEach((type, index) => body.write(type, message.body[index]!));
  const fields = createWriter();
  for (const [code, name, type] of FIELDS) {
    const value = message[name];
    if (value === undefined || value === '') continue;
    fields.align(8);
    fields.write('y', code);
    fields.write('g', type);
    fields.write(type, value);
  }
  const head = createWriter();
  for (const byte of [LITTLE_ENDIAN, message.type, 0, PROTOCOL_VERSION]) head.write('y', byte);
  head.write('u', body.bytes().length);
  head.write('u', message.serial);
  head.write('u', fields.bytes().length);
  const header = Buffer.concat([head.bytes(), fields.bytes()]);
  const padding = Buffer.alloc(padded(header.length, 8) - header.length);
  return Buffer.concat([header, padding, body.bytes()]);
}

/**
 * Reads the first message of a buffer and its length; `undefined` when more bytes must come.
 *
 * @throws DbusProtocolError for anything else
 */
export function decodeMessage(bytes: Buffer): { readonly message: DbusMessage; readonly length: number } | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const order = bytes[0];
  if ((order !== LITTLE_ENDIAN && order !== BIG_ENDIAN) || bytes[3] !== PROTOCOL_VERSION)
    throw new DbusProtocolError('the bytes are not a message of D-Bus');
  const isLittle = order === LITTLE_ENDIAN;
  const read = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const bodyStart = padded(FIXED_BYTES + read(12), 8);
  const length = bodyStart + read(4);
  if (length > MAX_MESSAGE_BYTES) throw new DbusProtocolError(`a message of ${String(length)} bytes is too long`);
  if (bytes.length < length) return undefined;

  const fields: Record<string, DbusValue> = {};
  const head = createReader(bytes.subarray(0, FIXED_BYTES + read(12)), isLittle, FIXED_BYTES);
  while (!head.isAtEnd()) {
    head.align(8);
    const code = head.read('y');
    const value = head.read('v');
    const name = FIELDS.find(([known]) => known === code)?.[1];
    if (name !== undefined) fields[name] = value;
  }
  const signature = typeof fields['signature'] === 'string' ? fields['signature'] : '';
  // Signals of others may have any body. Only the beginning that can be read counts.
  const supported = /^[ybnqiuxtdsoghv]*/.exec(signature)![0];
  const content = createReader(bytes.subarray(bodyStart, length), isLittle, 0);
  const body: DbusValue[] = [];
  try {
    for (const type of supported) body.push(content.read(type));
  } catch (error) {
    if (!(error instanceof UnsupportedVariantError)) throw error;
  }
  return {
    length,
    message: {
      ...fields,
      type: bytes[1]!,
      serial: read(8),
      signature,
      body,
    },
  };
}

function padded(length: number, alignment: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function createWriter() {
  const parts: number[] = [];
  const align = (alignment: number): void => {
    while (parts.length % alignment !== 0) parts.push(0);
  };
  const writeUint32 = (value: number): void => {
    align(4);
    for (const shift of [0, 8, 16, 24]) parts.push((value >>> shift) & 0xff);
  };
  return {
    align,
    bytes: () => Buffer.from(parts),
    write(type: string, value: DbusValue): void {
      if (type === 'y') parts.push(Number(value));
      else if (type === 'u' || type === 'i') writeUint32(Number(value));
      else if (type === 'b') writeUint32(value === true ? 1 : 0);
      else if (type === 's' || type === 'o') {
        const text = Buffer.from(String(value));
        writeUint32(text.length);
        parts.push(...text, 0);
      } else if (type === 'g') {
        const text = Buffer.from(String(value));
        parts.push(text.length, ...text, 0);
      } else throw new DbusProtocolError(`values of type "${type}" cannot be sent`);
    },
  };
}

/** @param start offset of the first value; alignment counts from the beginning of `bytes` */
function createReader(bytes: Buffer, isLittle: boolean, start: number) {
  let at = start;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const align = (alignment: number): void => void (at = padded(at, alignment));
  const take = (size: number, alignment: number): number => {
    align(alignment);
    if (at + size > bytes.length) throw new DbusProtocolError('a message ends within a value');
    at += size;
    return at - size;
  };
  const text = (length: number): string => {
    const from = take(length + 1, 1);
    return bytes.toString('utf8', from, from + length);
  };
  const read = (type: string, depth = 0): DbusValue => {
    switch (type) {
      case 'y':
        return view.getUint8(take(1, 1));
      case 'b':
        return view.getUint32(take(4, 4), isLittle) !== 0;
      case 'n':
        return view.getInt16(take(2, 2), isLittle);
      case 'q':
        return view.getUint16(take(2, 2), isLittle);
      case 'i':
        return view.getInt32(take(4, 4), isLittle);
      case 'u':
      case 'h':
        return view.getUint32(take(4, 4), isLittle);
      case 'x':
        return view.getBigInt64(take(8, 8), isLittle);
      case 't':
        return view.getBigUint64(take(8, 8), isLittle);
      case 'd':
        return view.getFloat64(take(8, 8), isLittle);
      case 's':
      case 'o':
        return text(view.getUint32(take(4, 4), isLittle));
      case 'g':
        return text(view.getUint8(take(1, 1)));
      case 'v': {
        const inner = String(read('g'));
        if (depth > 4 || inner.length !== 1)
          throw new UnsupportedVariantError(`a variant of type "${inner}" is not supported`);
        return read(inner, depth + 1);
      }
      default:
        throw new DbusProtocolError(`values of type "${type}" are not supported`);
    }
  };
  return { align, isAtEnd: () => at >= bytes.length, read: (type: string) => read(type) };
}
