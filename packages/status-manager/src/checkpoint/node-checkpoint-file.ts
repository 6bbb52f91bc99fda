import { constants } from 'node:fs';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckpointFile } from './checkpoint-file.ts';

/** Several times what the largest node can hold. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The checkpoint is not a file that may be believed. Nothing was read of it. */
export class UnsafeCheckpointError extends Error {
  override readonly name = 'UnsafeCheckpointError';
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} ${what}`);
    this.path = path;
  }
}

/**
 * The file `pod_statuses` in the root directory of the agent (`--root-dir`), for its user alone. It is written beside itself, brought to the disk and then
 * renamed; links are not followed.
 */
export function createNodeCheckpointFile(rootDirectory: string): CheckpointFile {
  const path = join(rootDirectory, 'pod_statuses');
  const beside = join(rootDirectory, '.pod_statuses.tmp');
  const syncDirectory = async (): Promise<void> => {
    await using directory = await open(dirname(path), O_RDONLY | O_DIRECTORY);
    await directory.sync();
  };
  return {
    path,
    async read() {
      // Not blocking, in case it is a pipe.
      await using file = await unlessMissing(open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
      if (file === undefined) return undefined;
      const { mode, uid, size } = await file.stat();
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new UnsafeCheckpointError(path, 'is not a plain file');
      if (uid !== process.geteuid?.()) throw new UnsafeCheckpointError(path, `belongs to user ${String(uid)}`);
      if ((mode & WRITABLE_BY_OTHERS) !== 0) throw new UnsafeCheckpointError(path, 'may be written by other users');
      if (size > MAX_FILE_BYTES) throw new UnsafeCheckpointError(path, 'is larger than the statuses of a node can be');
      return file.readFile('utf8');
    },
    async write(text) {
      await mkdir(rootDirectory, { recursive: true });
      await unlessMissing(unlink(beside));
      try {
        {
          await using file = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
          await file.writeFile(text);
          await file.sync();
        }
        await rename(beside, path);
      } catch (error) {
        await unlink(beside).catch(() => undefined);
        throw error;
      }
      await syncDirectory();
    },
    async setAside() {
      const aside = `${path}.corrupt`;
      await rename(path, aside);
      return aside;
    },
  };
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
