const BLOCK_BYTES = 512;

/** Returns a tar archive (ustar) with one file. `name` has at most 100 bytes; `modifiedAtMs` is since the epoch. */
export function tarArchive(name: string, content: Uint8Array, modifiedAtMs: number): Uint8Array {
  const padded = Math.ceil(content.length / BLOCK_BYTES) * BLOCK_BYTES;
  // Two empty blocks end an archive.
  const archive = Buffer.alloc(BLOCK_BYTES + padded + 2 * BLOCK_BYTES);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  archive.write(name, 0, 100);
  archive.write(octal(0o600, 7), 100);
  archive.write(octal(0, 7), 108);
  archive.write(octal(0, 7), 116);
  archive.write(octal(content.length, 11), 124);
  archive.write(octal(Math.floor(modifiedAtMs / 1000), 11), 136);
  // The checksum is that of the header with blanks in its place.
  archive.write(' '.repeat(8), 148);
  archive.write('0', 156);
  archive.write('ustar\x0000', 257, 'latin1');
  const checksum = archive.subarray(0, BLOCK_BYTES).reduce((sum, byte) => sum + byte, 0);
  archive.write(`${octal(checksum, 6)} `, 148);
  archive.set(content, BLOCK_BYTES);
  return archive;
}
