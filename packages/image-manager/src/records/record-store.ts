import { createLruMap, errorMessage, type Gauge, type Logger } from '@rxlet/component-base';
import type { RecordDirectory } from './record-directory.ts';
import { type ReadRecord, recordFileName } from './record-format.ts';

/** The records of one kind: on disk, and those used last in memory. This process is the only one that writes them. */
export interface RecordStore<T extends object> {
  /** `unreadable` when there is a file that cannot be read or makes no sense, which is logged. */
  get(key: string): Promise<T | 'unreadable' | undefined>;
  put(record: T): Promise<void>;
  delete(key: string): Promise<void>;
  /** All that can be read; what an older kubelet wrote is rewritten in the current version. Rejects when the directory cannot be read. */
  list(): Promise<readonly T[]>;
}

/** What tells one kind of records from another. */
export interface RecordKind<T> {
  readonly keyOf: (record: T) => string;
  readonly parse: (text: string) => ReadRecord<T>;
  readonly format: (record: T) => string;
  /** How many are kept in memory. */
  readonly capacity: number;
  /** How many files there are. */
  readonly onDisk: Gauge;
  /** How full the memory for them is, in percent. */
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
  /** Whether those are all: then the disk need not be asked for others. */
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
      if (recordFileName(keyOf(record)) !== name) throw new Error('it is about something else than its name says');
      // It is as good as it is if it cannot be rewritten now.
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
        // What is there now is found out when it is wanted next.
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
