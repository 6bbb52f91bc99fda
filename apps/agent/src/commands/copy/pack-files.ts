import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Header, pack, type Pack } from 'tar-stream';

/**
 * Returns a tar archive of a file, or of a directory and all below it, under `name`. Symbolic links are packed as such; sockets, pipes and devices are skipped,
 * and `warn` is called. The stream fails when a file cannot be read or changes its size meanwhile.
 */
export function packFiles(path: string, name: string, warn: (message: string) => void): Readable {
  const archive = pack();
  addEntry(archive, path, name, warn).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error as Error),
  );
  return archive as unknown as Readable;
}

async function addEntry(archive: Pack, path: string, name: string, warn: (message: string) => void): Promise<void> {
  const stats = await lstat(path);
  const { uid, gid, mtime } = stats;
  const header = { name, uid, gid, mtime, mode: stats.mode & 0o7777 };
  if (stats.isDirectory()) {
    await writeEntry(archive, { ...header, type: 'directory' });
    for (const child of await readdir(path)) {
      await addEntry(archive, join(path, child), posix.join(name, child), warn);
    }
  } else if (stats.isSymbolicLink()) {
    await writeEntry(archive, { ...header, type: 'symlink', linkname: await readlink(path) });
  } else if (stats.isFile()) {
    const entry = archive.entry({ ...header, type: 'file', size: stats.size });
    // A file that grows meanwhile is copied up to the size in its header.
    const content = stats.size === 0 ? Readable.from([]) : createReadStream(path, { end: stats.size - 1 });
    await pipeline(content, entry as unknown as NodeJS.WritableStream);
  } else {
    warn(`warning: skipping ${path}: it is neither a file, a directory nor a symbolic link`);
  }
}

function writeEntry(archive: Pack, header: Partial<Header> & Pick<Header, 'name'>): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
