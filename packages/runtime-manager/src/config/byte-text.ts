/**
 * Text that may hold bytes which are no UTF-8, as Go strings can: each such byte is a lone surrogate from U+DC80 to U+DCFF. Values of Secrets reach containers
 * unchanged this way, also through the expansion of variables.
 */
const SURROGATE_BASE = 0xdc00;
const escapedByte = /[\udc80-\udcff]/;

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Returns the text of bytes. {@link bytesOfText} returns the same bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return textOfInvalidUtf8(bytes);
  }
}

/** Returns the bytes of a text. */
export function bytesOfText(text: string): Uint8Array {
  if (!escapedByte.test(text) || text.isWellFormed()) return encoder.encode(text);
  // UTF-8 has at most three bytes for each UTF-16 code unit.
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (character.length === 1 && escapedByte.test(character)) bytes[length++] = code - SURROGATE_BASE;
    else if (code < 0x80) bytes[length++] = code;
    else length += encoder.encodeInto(character, bytes.subarray(length)).written;
  }
  return bytes.slice(0, length);
}

function textOfInvalidUtf8(bytes: Uint8Array): string {
  let text = '';
  let decoded = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      if (decoded < at) text += strictDecoder.decode(bytes.subarray(decoded, at));
      text += String.fromCharCode(SURROGATE_BASE + bytes[at]!);
      decoded = at + 1;
    }
    at += length || 1;
  }
  return text + strictDecoder.decode(bytes.subarray(decoded));
}

/** Returns the length of the UTF-8 sequence at an offset; 0 for a byte that begins none. Without a decoder, whose errors take long: each byte may be invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  // The second byte excludes overlong forms, surrogates and what is beyond U+10FFFF.
  const second = bytes[at + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let index = at + 2; index < at + length; index += 1) if ((bytes[index]! & 0xc0) !== 0x80) return 0;
  return length;
}
