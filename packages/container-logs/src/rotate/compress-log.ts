import { createGzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import type { DirectoryHandle, OpenFile } from '@rxlet/node-files';

const BLOCK_BYTES = 64 * 1024;

/**
 * Replaces a file by `<name>.gz`. The compressed file is written as `<name>.tmp`, which must not exist, and gets its final name only once it is complete and on disk; the
 * file is removed last. On failure the temporary file is removed and `name` is unchanged. Does nothing when `name` is removed in the meantime.
 */
export async function compressLog(directory: DirectoryHandle, name: string, signal: AbortSignal): Promise<void> {
  await using source = await directory.openFile(name);
  if (source === undefined) return;
  const { mode } = await source.stat();
  const temporary = `${name}.tmp`;
  const target = await directory.createFile(temporary, mode);
  try {
    try {
      await pipeline(
        contentOf(source),
        createGzip(),
        async (blocks: AsyncIterable<Uint8Array>) => {
          for await (const block of blocks) await target.write(block);
        },
        { signal },
      );
      await target.sync();
    } finally {
      await target[Symbol.asyncDispose]();
    }
    // Removed with its container, so that a compressed copy would stay for ever.
    if ((await source.stat()).links === 0) {
      await directory.remove(temporary);
      return;
    }
    await directory.rename(temporary, `${name}.gz`);
  } catch (error) {
    await directory.remove(temporary).catch(() => undefined);
    throw error;
  }
  // The new name must be on disk before the old one goes.
  await directory.sync();
  await directory.remove(name);
}

async function* contentOf(file: OpenFile): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; ;) {
    const block = await file.read(offset, BLOCK_BYTES);
    if (block.length === 0) return;
    offset += block.length;
    yield block;
  }
}
