import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readOwnFile, replaceFile, unlessMissing } from '@rxlet/component-base/files';
import type { RecordDirectories, RecordDirectory } from './record-directory.ts';

/** A record takes a few hundred bytes for each secret that it names, of which it names a hundred at most. */
const MAX_FILE_BYTES = 1024 * 1024;
const OTHERS = 0o077;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** A path that pull records are not entrusted to. Nothing was done. */
export class UnsafeRecordPathError extends Error {
  override readonly name = 'UnsafeRecordPathError';
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} ${what}`);
    this.path = path;
  }
}

/**
 * The directories of a kubelet's pull records below its root directory (`--root-dir`, normally `/var/lib/kubelet`). They are made with the first record.
 * The root directory may be a link, an administrator's choice; what is below it may not.
 */
export function createNodeRecordDirectories(rootDirectory: string): RecordDirectories {
  const parent = join(rootDirectory, 'image_manager');
  return {
    pulling: createNodeRecordDirectory(join(parent, 'pulling')),
    pulled: createNodeRecordDirectory(join(parent, 'pulled')),
  };
}

/**
 * A {@link RecordDirectory} on disk. What decides who may use an image must not be somebody else's to write: the directory and the one above it have to be
 * real directories of this user, and are closed to others if they are not yet; files are opened without following links.
 */
export function createNodeRecordDirectory(path: string): RecordDirectory {
  const levels = [dirname(path), path];
  /** @returns whether the directory is there. */
  const check = async (): Promise<boolean> => {
    for (const level of levels) if (!(await checkLevel(level))) return false;
    return true;
  };
  const make = async (): Promise<void> => {
    await mkdir(dirname(levels[0]!), { recursive: true });
    for (const level of levels) {
      await mkdir(level, { mode: 0o700 }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
      await checkLevel(level);
    }
  };

  return {
    path,
    async list() {
      if (!(await check())) return [];
      const names = await readdir(path);
      return names.filter((name) => !name.endsWith('.tmp'));
    },
    async read(name) {
      return (await check()) ? readOwnFile(join(path, name), MAX_FILE_BYTES) : undefined;
    },
    async write(name, text) {
      await make();
      await replaceFile(join(path, name), text, 0o600);
    },
    async remove(name) {
      if (!(await check())) return;
      await unlessMissing(unlink(join(path, name)));
    },
  };
}

/** @returns whether the directory is there. @throws {@link UnsafeRecordPathError} */
async function checkLevel(path: string): Promise<boolean> {
  const stats = await unlessMissing(lstat(path));
  if (stats === undefined) return false;
  if (stats.isSymbolicLink())
    throw new UnsafeRecordPathError(path, 'is a symbolic link; pull records are not kept there');
  if (!stats.isDirectory()) throw new UnsafeRecordPathError(path, 'is not a directory; move it away');
  if (stats.uid !== process.geteuid?.()) {
    throw new UnsafeRecordPathError(path, `belongs to user ${String(stats.uid)}; pull records are not kept there`);
  }
  if ((stats.mode & OTHERS) !== 0) {
    await using directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await directory.chmod(0o700);
  }
  return true;
}
