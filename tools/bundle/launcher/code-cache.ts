import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { crc32 } from 'node:zlib';

/** Checksums of the compiled code, of its source, and of the engine. */
const HEADER_BYTES = 12;

/** Describes the engine for which code is compiled: V8's own check names neither the architecture nor the features of the CPU. */
function thisEngine(): string {
  return `${process.version} ${process.arch} ${String(cachedDataVersionTag())}`;
}

/**
 * Files of compiled code, one a chunk: the CRC-32 of the code, of its source and of the engine's description (big-endian), and the code. V8 itself does not notice
 * damaged code, and takes code of another source of the same length.
 *
 * They are beside the chunks: a user who may write there may change the chunks themselves.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #engineChecksum: number;

  /**
   * @param folder where the chunks are
   * @param engine describes the engine for which code is compiled
   */
  constructor(folder: string, engine: string = thisEngine()) {
    this.#folder = join(folder, '.code-cache');
    this.#engineChecksum = crc32(engine);
  }

  /** Returns what was written for `chunk` with this CRC-32 of its source by the same engine; undefined when there is nothing, or it is damaged. */
  read(chunk: string, sourceChecksum: number): Buffer | undefined {
    let content: Buffer;
    try {
      content = readFileSync(join(this.#folder, chunk));
    } catch {
      return undefined;
    }
    if (content.length <= HEADER_BYTES) return undefined;
    const code = content.subarray(HEADER_BYTES);
    const checksums = [crc32(code), sourceChecksum, this.#engineChecksum];
    return checksums.every((checksum, index) => checksum === content.readUInt32BE(4 * index)) ? code : undefined;
  }

  /** Writes the code of `chunk` and the checksum of its source, as a whole or not at all. @returns whether it could */
  write(chunk: string, sourceChecksum: number, code: Uint8Array): boolean {
    const temporary = join(this.#folder, `${chunk}.${String(process.pid)}`);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(crc32(code));
    header.writeUInt32BE(sourceChecksum, 4);
    header.writeUInt32BE(this.#engineChecksum, 8);
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(temporary, Buffer.concat([header, code]), { flag: 'wx' });
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
