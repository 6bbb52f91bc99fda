import type { FileHandle } from 'node:fs/promises';
import { UnsafeFileError } from '../errors.ts';
import type { OpenFile } from '../open-file.ts';
import { fileInfoOf } from './file-info-of.ts';

/** Wraps a handle of a regular file. Closes the handle of anything else. @throws UnsafeFileError */
export async function openFileOf(handle: FileHandle, path: string): Promise<OpenFile> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) {
    await handle.close();
    throw new UnsafeFileError(path, 'is not a regular file');
  }
  return {
    identity: fileInfoOf(stats).identity,
    async read(offset, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    stat: async () => fileInfoOf(await handle.stat({ bigint: true })),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
