import type { HostFiles } from '@rxlet/node-files';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';

/** Logs in memory, written by a test in the role of the runtime. */
export interface MemoryLogs extends HostFiles, Pick<MemoryFiles, 'rename' | 'truncate' | 'openHandles'> {
  /** Appends to the file at a path, which is created if there is none. */
  append(path: string, text: string): void;
}

/** Creates {@link MemoryLogs} with files of these texts. */
export function createMemoryLogs(files: Readonly<Record<string, string>> = {}): MemoryLogs {
  const memory = createMemoryFiles({ files });
  return {
    ...memory.hostFiles,
    rename: memory.rename,
    truncate: memory.truncate,
    append: (path, text) => memory.openToAppend(path).append(text),
    get openHandles() {
      return memory.openHandles;
    },
  };
}
