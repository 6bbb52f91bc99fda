import type { RecordDirectories, RecordDirectory } from './record-directory.ts';

/** A {@link RecordDirectory} in memory, to look into and to break. */
export interface MemoryRecordDirectory extends RecordDirectory {
  /** The files there are, by name. */
  readonly files: Map<string, string>;
  /** From now on operations of this kind fail with the error, until told otherwise with `undefined`. */
  fail(operation: 'list' | 'read' | 'write' | 'remove', error: Error | undefined): void;
}

/** Creates a {@link MemoryRecordDirectory}; with the files of an earlier one it is what an agent finds after a restart. */
export function createMemoryRecordDirectory(
  path: string,
  files: Map<string, string> = new Map(),
): MemoryRecordDirectory {
  const failures = new Map<string, Error | undefined>();
  const check = (operation: string): void => {
    const error = failures.get(operation);
    if (error !== undefined) throw error;
  };
  return {
    path,
    files,
    fail: (operation, error) => void failures.set(operation, error),
    async list() {
      check('list');
      return [...files.keys()];
    },
    async read(name) {
      check('read');
      return files.get(name);
    },
    async write(name, text) {
      check('write');
      files.set(name, text);
    },
    async remove(name) {
      check('remove');
      files.delete(name);
    },
  };
}

/** {@link MemoryRecordDirectory}s for pull records, as after a restart if files of an earlier run are given. */
export interface MemoryRecordDirectories extends RecordDirectories {
  readonly pulling: MemoryRecordDirectory;
  readonly pulled: MemoryRecordDirectory;
}

/** Creates {@link MemoryRecordDirectories}, empty or with what `earlier` ones hold. */
export function createMemoryRecordDirectories(earlier?: MemoryRecordDirectories): MemoryRecordDirectories {
  return {
    pulling: createMemoryRecordDirectory('/image_manager/pulling', new Map(earlier?.pulling.files)),
    pulled: createMemoryRecordDirectory('/image_manager/pulled', new Map(earlier?.pulled.files)),
  };
}
