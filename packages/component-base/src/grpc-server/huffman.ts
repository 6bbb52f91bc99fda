/** Lengths in bits of the Huffman codes of octets, from appendix B of RFC 7541. */
export const CODE_LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26,
];
const MAX_CODE_LENGTH = 30;
/** The longest padding: ones up to the end of the last octet. */
const MAX_PADDING_BITS = 7;

/** Octets in the order of their codes: the code is canonical. */
const ORDERED = [...CODE_LENGTHS.keys()].sort((a, b) => CODE_LENGTHS[a]! - CODE_LENGTHS[b]! || a - b);
const COUNTS = Array.from(
  { length: MAX_CODE_LENGTH + 1 },
  (_, bits) => CODE_LENGTHS.filter((length) => length === bits).length,
);

/** Decodes a string literal of HPACK. Returns undefined if it is invalid. */
export function decodeHuffman(encoded: Uint8Array): Buffer | undefined {
  const octets: number[] = [];
  let code = 0;
  let first = 0;
  let index = 0;
  let length = 0;
  for (let bit = 0; bit < encoded.length * 8; bit++) {
    code = (code << 1) | ((encoded[bit >> 3]! >> (7 - (bit & 7))) & 1);
    first <<= 1;
    length++;
    if (length > MAX_CODE_LENGTH) return undefined;
    const count = COUNTS[length]!;
    if (code - first < count) {
      octets.push(ORDERED[index + code - first]!);
      code = first = index = length = 0;
    } else {
      first += count;
      index += count;
    }
  }
  const isPadding = length <= MAX_PADDING_BITS && code === (1 << length) - 1;
  return isPadding ? Buffer.from(octets) : undefined;
}
