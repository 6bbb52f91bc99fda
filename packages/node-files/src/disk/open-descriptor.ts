import { closeSync, fstatSync, open, read, writeFile as writeFileWithCallback, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { UnsafeFileError } from '../errors.ts';

/**
 * An open file. What may have to wait for the disk (opening, reading, syncing) runs in the thread pool; what the kernel answers from memory (attributes, mode,
 * closing, writing a few KiB to the page cache) is synchronous, because the detour through the pool takes twenty times as long.
 */
export interface Descriptor extends Disposable {
  readonly fd: number;
}

const openFile = promisify(open);
const readFile = promisify(read);
const writeFile = promisify(writeFileWithCallback);
/** More is written in the thread pool. */
const MAX_SYNC_WRITE_BYTES = 64 * 1024;

/** Opens a file; disposing of the descriptor closes it. */
export async function openDescriptor(path: string, flags: number, mode?: number): Promise<Descriptor> {
  const fd = await openFile(path, flags, mode);
  return {
    fd,
    [Symbol.dispose]() {
      closeSync(fd);
    },
  };
}

/** Writes the whole content at the current position. */
export async function writeAll({ fd }: Descriptor, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length <= MAX_SYNC_WRITE_BYTES) writeFileSync(fd, bytes);
  else await writeFile(fd, bytes);
}

/**
 * Reads a regular file to its end, as far as `maxBytes`: a file may grow, and the size of those below /proc is 0.
 *
 * @throws UnsafeFileError when it is not a regular file or has more bytes
 */
export async function readRegularFile({ fd }: Descriptor, path: string, maxBytes: number): Promise<Uint8Array> {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw new UnsafeFileError(path, 'is not a regular file');
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const wanted = Math.min(Math.max(stats.size - total, 0) + 1, MAX_CHUNK_BYTES);
    const length = stats.size === 0 ? CHUNK_BYTES : wanted;
    const { buffer, bytesRead } = await readFile(fd, Buffer.allocUnsafe(length), 0, length, null);
    total += bytesRead;
    if (total > maxBytes) throw new UnsafeFileError(path, `has more than ${String(maxBytes)} bytes`);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    // On a disk only the end of a file cuts a read short; below /proc any read may be short.
    if (bytesRead === 0 || (stats.size > 0 && bytesRead < length)) {
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
    }
  }
}

const CHUNK_BYTES = 64 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
