import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { LogFile, LogFiles } from '../logs/log-files.ts';
import { LogReadError } from '../logs/log-read-error.ts';

/** Creates {@link LogFiles} on the node's own files. Changes are told by inotify. */
export function createNodeLogFiles(): LogFiles {
  return {
    async open(path) {
      let handle: FileHandle;
      try {
        // Not blocking, in case it is a pipe.
        handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      return nodeLogFile(path, handle);
    },
    watch(path, onChange) {
      let watcher: FSWatcher;
      try {
        // The directory is watched, as a rotation replaces the file.
        watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
          if (name === null || name === basename(path)) onChange();
        });
      } catch {
        // The reader looks now and then anyway; the number of watches is limited on every node.
        return { [Symbol.dispose]: () => undefined };
      }
      watcher.on('error', () => watcher.close());
      return { [Symbol.dispose]: () => watcher.close() };
    },
  };
}

async function nodeLogFile(path: string, handle: FileHandle): Promise<LogFile> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) {
    await handle.close();
    throw new LogReadError('NotAFile', `the log ${path} is no regular file`);
  }
  const { dev, ino } = stats;
  return {
    identity: `${String(dev)}:${String(ino)}`,
    async read(offset, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    size: async () => (await handle.stat()).size,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
