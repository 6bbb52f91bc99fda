import { dirname } from 'node:path';
import type { NodeFiles } from '@rxlet/node-files';

/** Maximum size of a record. It names a hundred secrets at most, of a few hundred bytes each. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Directory of pull records. Names are plain file names. */
export interface RecordDirectory {
  readonly path: string;
  /** Returns the names of the records; none when the directory does not exist. */
  list(): Promise<readonly string[]>;
  /** Returns the text of a record; `undefined` when there is none. Rejects for a file that another user can have written. */
  read(name: string): Promise<string | undefined>;
  /** Replaces a record atomically. */
  write(name: string, text: string): Promise<void>;
  /** Removes a record; succeeds when there is none. */
  remove(name: string): Promise<void>;
}

/**
 * Creates a {@link RecordDirectory}. Records decide which pods may use an image. Therefore each call first closes the directory and the one above it to other users,
 * and rejects if one of them belongs to another user. The first record creates both.
 */
export function createRecordDirectory(files: NodeFiles, path: string): RecordDirectory {
  const parent = dirname(path);
  const isThere = async (): Promise<boolean> =>
    (await files.closeToOthers(parent)) && (await files.closeToOthers(path));
  return {
    path,
    async list() {
      if (!(await isThere())) return [];
      // An interrupted replacement leaves a temporary file.
      return (await files.list(path)).filter((name) => !name.endsWith('.tmp'));
    },
    read: async (name) => ((await isThere()) ? files.readPrivate(`${path}/${name}`, MAX_RECORD_BYTES) : undefined),
    async write(name, text) {
      if (!(await isThere())) {
        await files.makeDirectory(path, 0o700);
        await isThere();
      }
      await files.replaceFile(`${path}/${name}`, text, 0o600);
    },
    async remove(name) {
      if (await isThere()) await files.removeFile(`${path}/${name}`);
    },
  };
}
