import { chmod, chown, type FileHandle, open, readFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import type { EntryHandle } from '../entry-handle.ts';
import { UnsafePathError } from '../errors.ts';
import { fileInfoOf } from './file-info-of.ts';
import { named } from './name-error.ts';

/** Opens an entry without any access to its content, and without side effects on devices, pipes and sockets. Node does not export it. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW } = constants;

/** Opens the entry at a path as a place in the file system, a link in the last place as such. */
export function openPlace(path: string): Promise<FileHandle> {
  return open(path, O_PATH | O_NOFOLLOW);
}

/** Opens an entry of any kind. @throws UnsafePathError for a link */
export async function openEntryOf(location: string, path: string): Promise<EntryHandle> {
  const handle = await openPlace(location);
  try {
    if ((await handle.stat()).isSymbolicLink()) throw new UnsafePathError('SymbolicLink', path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    path,
    get descriptor() {
      return handle.fd;
    },
    stat: async () => fileInfoOf(await handle.stat({ bigint: true })),
    // By its link in /proc, because a descriptor of a place allows neither.
    chmod: (mode) => named(chmod(`/proc/self/fd/${String(handle.fd)}`, mode), path),
    chown: (uid, gid) => named(chown(`/proc/self/fd/${String(handle.fd)}`, uid, gid), path),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/**
 * Returns the number of the mount that an open file or directory was reached through. It differs for a bind mount and the directory around it, which have the same
 * device.
 */
export async function mountIdOf(descriptor: number): Promise<string> {
  const text = await readFile(`/proc/self/fdinfo/${String(descriptor)}`, 'latin1');
  const id = /^mnt_id:\s*(\d+)$/m.exec(text)?.[1];
  if (id === undefined)
    throw new Error(`the kernel does not report the mount of file descriptor ${String(descriptor)}`);
  return id;
}
