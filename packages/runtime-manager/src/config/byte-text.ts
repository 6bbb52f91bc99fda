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
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character.length === 1 && escapedByte.test(character)) bytes.push(code - SURROGATE_BASE);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}

function textOfInvalidUtf8(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(SURROGATE_BASE + bytes[at]!);
      at += 1;
    } else {
      text += strictDecoder.decode(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return text;
}

/** Returns the length of the UTF-8 sequence at an offset; 0 for a byte that begins none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strictDecoder.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}
