import { createLruMap, errorMessage, type Logger } from '@rxlet/component-base';
import type { Gauge } from '@rxlet/component-base/metrics';
import type { RecordDirectory } from './record-directory.ts';
import { type ReadRecord, recordFileName } from './record-format.ts';

/** The records of one kind: on disk, and those used last in memory. This process is the only one that writes them. */
export interface RecordStore<T extends object> {
  /** `unreadable` for a file that cannot be read or is invalid, which is logged. */
  get(key: string): Promise<T | 'unreadable' | undefined>;
  put(record: T): Promise<void>;
  delete(key: string): Promise<void>;
  /** Returns all readable records; those of an older kubelet are rewritten in the current version. Rejects when the directory cannot be read. */
  list(): Promise<readonly T[]>;
}

/** Properties of one kind of records. */
export interface RecordKind<T> {
  readonly keyOf: (record: T) => string;
  readonly parse: (text: string) => ReadRecord<T>;
  readonly format: (record: T) => string;
  /** Maximum number of records in memory. */
  readonly capacity: number;
  /** Number of files. */
  readonly onDisk: Gauge;
  /** Usage of the memory, in percent. */
  readonly usagePercent: Gauge;
}

/** Creates a {@link RecordStore}. */
export function createRecordStore<T extends object>(
  directory: RecordDirectory,
  logger: Logger,
  { keyOf, parse, format, capacity, onDisk, usagePercent }: RecordKind<T>,
): RecordStore<T> {
  const cache = createLruMap<T | 'unreadable'>(capacity);
  /** Files that exist, or may. */
  const names = new Set<string>();
  /** Whether those are all, so that the disk need not be read for others. */
  let isComplete = false;
  const measure = (): void => {
    onDisk.set(names.size);
    usagePercent.set(Math.trunc((cache.size * 100) / capacity));
  };

  const unusable = (name: string, error: unknown): 'unreadable' => {
    logger.warn(
      `the pull record ${directory.path}/${name} cannot be used: ${errorMessage(error)}; images it is about will be pulled again, which replaces it`,
    );
    return 'unreadable';
  };
  const readFile = async (name: string): Promise<T | 'unreadable' | undefined> => {
    let text: string | undefined;
    try {
      text = await directory.read(name);
    } catch (error) {
      // Perhaps it can be read later.
      return unusable(name, error);
    }
    if (text === undefined) {
      names.delete(name);
      return undefined;
    }
    names.add(name);
    const record = await understand(name, text);
    cache.set(name, record);
    measure();
    return record;
  };
  const understand = async (name: string, text: string): Promise<T | 'unreadable'> => {
    try {
      const { record, isCurrent } = parse(text);
      if (recordFileName(keyOf(record)) !== name) throw new Error('its content does not match its name');
      // It stays usable if it cannot be rewritten now.
      if (!isCurrent) await directory.write(name, format(record)).catch(() => undefined);
      return record;
    } catch (error) {
      return unusable(name, error);
    }
  };

  return {
    async get(key) {
      const name = recordFileName(key);
      return cache.get(name) ?? (isComplete && !names.has(name) ? undefined : readFile(name));
    },
    async put(record) {
      const name = recordFileName(keyOf(record));
      try {
        await directory.write(name, format(record));
      } catch (error) {
        // The file's state is read at its next use.
        cache.delete(name);
        throw error;
      } finally {
        names.add(name);
      }
      cache.set(name, record);
      measure();
    },
    async delete(key) {
      const name = recordFileName(key);
      await directory.remove(name);
      names.delete(name);
      cache.delete(name);
      measure();
    },
    async list() {
      const records: T[] = [];
      const listed = await directory.list();
      for (const name of listed) names.add(name);
      isComplete = true;
      for (const name of listed) {
        const record = cache.get(name) ?? (await readFile(name));
        if (record !== undefined && record !== 'unreadable') records.push(record);
      }
      measure();
      return records;
    },
  };
}
