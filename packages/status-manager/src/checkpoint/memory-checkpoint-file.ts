import type { CheckpointFile } from './checkpoint-file.ts';

/** A {@link CheckpointFile} in memory, to look into and to break. */
export interface MemoryCheckpointFile extends CheckpointFile {
  /** What is in it; undefined when there is none. */
  text: string | undefined;
  /** How often it was written. */
  readonly writes: number;
  /** Runs before each write: it may throw, and what it returns is awaited. */
  beforeWrite: (() => void | Promise<void>) | undefined;
}

/** Creates a {@link MemoryCheckpointFile}; with the text of an earlier one it is what an agent finds after a restart. */
export function createMemoryCheckpointFile(text?: string): MemoryCheckpointFile {
  let writes = 0;
  const file: MemoryCheckpointFile = {
    path: '/pod_statuses',
    text,
    get writes() {
      return writes;
    },
    beforeWrite: undefined,
    async read() {
      return file.text;
    },
    async write(next) {
      await file.beforeWrite?.();
      writes += 1;
      file.text = next;
    },
    async setAside() {
      file.text = undefined;
      return '/pod_statuses.corrupt';
    },
  };
  return file;
}
