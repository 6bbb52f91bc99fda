import { constants } from 'node:http2';
import { decodeHuffman } from './huffman.ts';

const PREFACE_BYTES = 24;
const FRAME_HEADER_BYTES = 9;
const HEADERS_FRAME = 1;
const PADDED_FLAG = 0x08;
const PRIORITY_FLAG = 0x20;
const PRIORITY_BYTES = 5;
/** Node.js rejects larger frames. */
const MAX_FRAME_BYTES = 16_384;
const AUTHORITY = constants.HTTP2_HEADER_AUTHORITY;
/** Index of `:authority` in the static table of HPACK. */
const AUTHORITY_INDEX = 1;

/**
 * Creates a function that receives the bytes of an HTTP/2 client and returns them as Node.js accepts them. Node.js resets streams whose `:authority` contains
 * characters such as `/`, while clients with grpc-go before 1.58 send the path of the socket there.
 *
 * Such characters are replaced one by one, because the dynamic tables of both sides must keep the same size. Each request of a chunk begins a part of its own.
 */
export function createAuthorityFilter(): (chunk: Buffer) => Buffer[] {
  /** Bytes to pass on as they are. */
  let passing = PREFACE_BYTES;
  /** Start of a frame that has to be complete. */
  let held: Buffer | undefined;
  return (chunk) => {
    const bytes = held === undefined ? chunk : Buffer.concat([held, chunk]);
    held = undefined;
    const parts: Buffer[] = [];
    /** Start of the bytes that are not in `parts`. */
    let start = 0;
    let at = 0;
    while (at < bytes.length) {
      if (passing > 0) {
        const size = Math.min(passing, bytes.length - at);
        passing -= size;
        at += size;
        continue;
      }
      const available = bytes.length - at;
      const size = available < FRAME_HEADER_BYTES ? Infinity : FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3);
      const isFiltered = bytes[at + 3] === HEADERS_FRAME && size <= FRAME_HEADER_BYTES + MAX_FRAME_BYTES;
      if (size === Infinity || (isFiltered && available < size)) {
        held = bytes.subarray(at);
        break;
      }
      if (!isFiltered) {
        passing = size;
        continue;
      }
      if (at > start) parts.push(bytes.subarray(start, at));
      start = at;
      at += size;
      const filtered = filterHeaders(bytes.subarray(start, at));
      if (filtered === undefined) continue;
      parts.push(filtered);
      start = at;
    }
    if (at > start) parts.push(bytes.subarray(start, at));
    return parts;
  };
}

/** Returns a HEADERS frame with another authority; undefined when it stays as it is. */
function filterHeaders(frame: Buffer): Buffer | undefined {
  const flags = frame[4]!;
  let start = FRAME_HEADER_BYTES;
  let end = frame.length;
  if ((flags & PADDED_FLAG) !== 0) end -= frame[start++] ?? 0;
  if ((flags & PRIORITY_FLAG) !== 0) start += PRIORITY_BYTES;
  const value = findAuthority(frame, start, end);
  if (value === undefined) return undefined;
  const accepted = withAcceptedCharacters(value.text);
  if (accepted === value.text) return undefined;
  const literal = plainLiteral(accepted);
  const size = frame.length - FRAME_HEADER_BYTES - (value.end - value.start) + literal.length;
  if (size > MAX_FRAME_BYTES) return undefined;
  const before = Buffer.from(frame.subarray(0, value.start));
  before.writeUIntBE(size, 0, 3);
  return Buffer.concat([before, literal, frame.subarray(value.end)]);
}

/** Replaces what Node.js rejects. */
const withAcceptedCharacters = (text: string): string => text.replaceAll(/[^\w.~%:[\]!$&'()*+,;=-]/g, '-');

/** A string literal in a block of headers. */
interface Literal {
  readonly start: number;
  readonly end: number;
  /** The string, a character for each octet. */
  readonly text: string;
}

/**
 * Returns the value of the first `:authority` that the block contains as a literal. Later requests of a connection refer to the entry of the dynamic table, which is
 * valid then. Only the first frame of a block is read: pseudo-headers are first.
 */
function findAuthority(frame: Buffer, start: number, end: number): Literal | undefined {
  let at = start;
  /** Reads an integer with a prefix of so many bits. */
  const integer = (prefixBits: number): number => {
    const max = 2 ** prefixBits - 1;
    let value = frame[at++]! & max;
    if (value < max) return value;
    for (let scale = 1; at < end && scale <= 2 ** 21; scale *= 128) {
      const octet = frame[at++]!;
      value += (octet & 127) * scale;
      if (octet < 128) return value;
    }
    at = end;
    return end;
  };
  const literal = (): Literal | undefined => {
    const begin = at;
    if (at >= end) return undefined;
    const isHuffman = frame[at]! >= 0x80;
    const length = integer(7);
    if (length > end - at) return undefined;
    const octets = frame.subarray(at, (at += length));
    const text = (isHuffman ? decodeHuffman(octets) : octets)?.toString('latin1');
    return text === undefined ? undefined : { start: begin, end: at, text };
  };
  while (at < end) {
    const first = frame[at]!;
    if (first >= 0x80) {
      integer(7);
    } else if (first >= 0x20 && first < 0x40) {
      // A new size of the dynamic table.
      integer(5);
    } else {
      const index = integer(first >= 0x40 ? 6 : 4);
      const name = index === 0 ? literal()?.text : index === AUTHORITY_INDEX ? AUTHORITY : '';
      const value = literal();
      if (name === undefined || value === undefined) return undefined;
      if (name === AUTHORITY) return value;
    }
  }
  return undefined;
}

function plainLiteral(text: string): Buffer {
  const octets = Buffer.from(text, 'latin1');
  const length: number[] = [];
  let rest = octets.length;
  if (rest < 127) {
    length.push(rest);
  } else {
    length.push(127);
    for (rest -= 127; rest >= 128; rest = rest >> 7) length.push((rest & 127) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), octets]);
}
