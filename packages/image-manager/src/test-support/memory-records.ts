import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { NodeFiles } from '@rxlet/node-files';

/** Directory of pull records on the files of {@link MemoryRecords}. */
export const RECORDS_DIRECTORY = '/root/image_manager';

/** Files of one kind of pull records. */
export interface MemoryRecordFiles {
  /** Current files, content by name. */
  readonly files: ReadonlyMap<string, string>;
  put(name: string, text: string): void;
  /** Sets a fault of each later read or write: an error, or a function that is called before. `undefined` removes it. */
  fail(operation: 'read' | 'write', fault: Error | (() => void | Promise<void>) | undefined): void;
}

/** Pull records on files in memory. */
export interface MemoryRecords {
  readonly nodeFiles: NodeFiles;
  readonly pulling: MemoryRecordFiles;
  readonly pulled: MemoryRecordFiles;
}

const operations = { readPrivate: 'read', replaceFile: 'write' } as const;

/** Creates {@link MemoryRecords}, empty or with the files of an earlier run. */
export function createMemoryRecords(earlier?: MemoryRecords): MemoryRecords {
  const memory = createMemoryFiles({ roots: ['/root'] });
  const faults = new Map<string, Error | (() => void | Promise<void>) | undefined>();
  memory.fault = (operation, path) => {
    const [directory] = path.slice(RECORDS_DIRECTORY.length + 1).split('/');
    const fault = faults.get(`${operations[operation as keyof typeof operations]} ${directory!}`);
    if (fault instanceof Error) throw fault;
    return fault?.();
  };
  const kind = (name: 'pulling' | 'pulled'): MemoryRecordFiles => {
    const directory = `${RECORDS_DIRECTORY}/${name}/`;
    const put = (file: string, text: string): void => memory.put(directory + file, text, 0o600);
    memory.putDirectory(`${RECORDS_DIRECTORY}/${name}`, 0o700);
    for (const [file, text] of earlier?.[name].files ?? []) put(file, text);
    return {
      get files() {
        const paths = memory.paths().filter((path) => path.startsWith(directory));
        return new Map(paths.map((path) => [path.slice(directory.length), memory.text(path)!]));
      },
      put,
      fail: (operation, fault) => void faults.set(`${operation} ${name}`, fault),
    };
  };
  return { nodeFiles: memory.nodeFiles, pulling: kind('pulling'), pulled: kind('pulled') };
}
