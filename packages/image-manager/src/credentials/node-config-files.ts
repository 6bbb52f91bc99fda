import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ConfigFiles } from './config-files.ts';
import { hide } from './hidden.ts';

/** {@link ConfigFiles} on the machine's file system. */
export const nodeConfigFiles: ConfigFiles = {
  async read(path, maxBytes) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new Error('it is not a regular file');
      // Read until the end, not as far as the size: a file may grow, and those of /proc have none.
      const buffer = Buffer.alloc(maxBytes + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`);
      return hide({ mode: stats.mode & 0o7777 }, { text: buffer.toString('utf8', 0, length) });
    } finally {
      await handle.close();
    }
  },
};
