import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const WRITABLE_BY_OTHERS = 0o022;

/** A file is not one that may be believed. Nothing was read of it. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} ${what}`);
    this.path = path;
  }
}

/**
 * The text of a file of this process's own; `undefined` when there is none. It is believed only if nobody else can have written it: a plain file of this user
 * that no other may write, and no link.
 *
 * @throws {@link UnsafeFileError}, also when it is larger than `maxBytes`; or what the system says of it
 */
export async function readOwnFile(path: string, maxBytes: number): Promise<string | undefined> {
  // Not blocking, in case it is a pipe.
  await using file = await unlessMissing(open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
  if (file === undefined) return undefined;
  const stats = await file.stat();
  if (!stats.isFile()) throw new UnsafeFileError(path, 'is not a plain file');
  if (stats.uid !== process.geteuid?.()) throw new UnsafeFileError(path, `belongs to user ${String(stats.uid)}`);
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new UnsafeFileError(path, 'may be written by other users');
  if (stats.size > maxBytes)
    throw new UnsafeFileError(path, `has ${String(stats.size)} bytes, of ${String(maxBytes)} at most`);
  return file.readFile('utf8');
}

/**
 * Puts a file with this mode, whatever the umask, in the place of the old one, so that at any instant, a loss of power included, there is either the old
 * content or the new. Once it resolves it is the new. Meanwhile it is `<path>.tmp`, which is left behind when the process is killed and replaced by the next
 * call. No link is followed there or in the last place of `path`; the directory has to exist. Calls for one path must not overlap.
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = `${path}.tmp`;
  // What an earlier attempt left, or anybody put there.
  await unlessMissing(unlink(temporary));
  try {
    {
      await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      await file.writeFile(content);
      await file.chmod(mode);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  // A file that was renamed is only then surely found under its new name.
  await using directory = await open(dirname(path), O_RDONLY | O_DIRECTORY);
  await directory.sync();
}

/** What a call for a file resolves to; `undefined` when there is no such file. Rejects as it does otherwise. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
