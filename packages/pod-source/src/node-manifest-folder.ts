import { type FSWatcher, type BigIntStats, constants, watch } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ManifestEntry, type ManifestFolder, ManifestFileGone } from './manifest-folder.ts';

/** The port on the machine's file system, with inotify on Linux. */
export const nodeManifestFolder: ManifestFolder = {
  async list(path) {
    const stats = await stat(path, { bigint: true });
    // A new folder may get the inode number of the one that was removed.
    const identity = [stats.dev, stats.ino, stats.birthtimeNs].join(':');
    if (!stats.isDirectory()) return { kind: 'file', identity, entries: [entryOf(basename(path), path, stats)] };
    const names = await readdir(path);
    const entries = await Promise.all(
      names.map(async (name): Promise<ManifestEntry> => {
        const entryPath = join(path, name);
        try {
          return entryOf(name, entryPath, await stat(entryPath, { bigint: true }));
        } catch (error) {
          return { name, path: entryPath, kind: 'missing', sizeBytes: 0, version: (error as Error).message };
        }
      }),
    );
    return { kind: 'folder', identity, entries };
  },

  async read(path, maxBytes) {
    // What was a regular file when listed may be a pipe by now: without O_NONBLOCK, opening that would wait for a writer for ever.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new ManifestFileGone(error.message, { cause: error }) : error;
    });
    try {
      if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file');
      // The size at the time of a look says nothing about a file that grows.
      const bytes = Buffer.alloc(64 * 1024);
      const chunks: Buffer[] = [];
      let total = 0;
      for (;;) {
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, null);
        if (bytesRead === 0) return Buffer.concat(chunks);
        total += bytesRead;
        if (total > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`);
        chunks.push(Buffer.from(bytes.subarray(0, bytesRead)));
      }
    } finally {
      await handle.close();
    }
  },

  watch(path, onChange, onEnd) {
    const watchers: FSWatcher[] = [];
    const close = (): void => watchers.splice(0).forEach((watcher) => watcher.close());
    const add = (watched: string, onlyName?: string): void => {
      const watcher = watch(watched, (_, name) => {
        if (onlyName === undefined || name === null || name === onlyName) onChange();
      });
      watcher.on('error', (error) => {
        close();
        onEnd(error);
      });
      watchers.push(watcher);
    };
    add(path);
    try {
      // A file is replaced, and a folder comes back, in the folder above. That one may be closed to us; then the next look has to do.
      add(dirname(path), basename(path));
    } catch {
      // See above.
    }
    return { [Symbol.dispose]: close };
  },
};

function entryOf(name: string, path: string, stats: BigIntStats): ManifestEntry {
  return {
    name,
    path,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    sizeBytes: Number(stats.size),
    version: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':'),
  };
}
