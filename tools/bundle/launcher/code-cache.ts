import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const CHECKSUM_BYTES = 4;

/**
 * Files of compiled code, one a chunk, each a CRC-32 (big-endian) and the code: V8 itself does not notice damaged code.
 *
 * They are beside the chunks: a user who may write there may change the chunks themselves.
 */
export class CodeCache {
  readonly #folder: string;

  /** @param folder where the chunks are */
  constructor(folder: string) {
    this.#folder = join(folder, '.code-cache');
  }

  /** Returns what was written for `chunk`; undefined when there is nothing, or it is damaged. */
  read(chunk: string): Buffer | undefined {
    let content: Buffer;
    try {
      content = readFileSync(join(this.#folder, chunk));
    } catch {
      return undefined;
    }
    if (content.length <= CHECKSUM_BYTES) return undefined;
    const code = content.subarray(CHECKSUM_BYTES);
    return crc32(code) === content.readUInt32BE(0) ? code : undefined;
  }

  /** Writes the code of `chunk`, as a whole or not at all. @returns whether it could */
  write(chunk: string, code: Uint8Array): boolean {
    const temporary = join(this.#folder, `${chunk}.${String(process.pid)}`);
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32BE(crc32(code));
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(temporary, Buffer.concat([checksum, code]), { flag: 'wx' });
      renameSync(temporary, join(this.#folder, chunk));
      return true;
    } catch {
      try {
        unlinkSync(temporary);
      } catch {
        // It was not written.
      }
      return false;
    }
  }
}
