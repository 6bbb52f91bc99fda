import { basename } from 'node:path';
import type { NodeFiles } from '../node-files.ts';

/** A checkpoint on disk, which only the agent's user can write. */
export interface CheckpointFile {
  /** Returns the text; `undefined` when there is no file. @throws UnsafeFileError */
  read(): Promise<string | undefined>;
  /** Writes the current state. Requests during a write share the next one. Rejects with the kubelet's message. */
  write(): Promise<void>;
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const FILE_MODE = 0o600;

/**
 * Creates a {@link CheckpointFile}.
 *
 * @param capture returns the current state as text
 */
export function createCheckpointFile(
  files: Pick<NodeFiles, 'readPrivate' | 'replaceFile'>,
  path: string,
  capture: () => string,
): CheckpointFile {
  let writing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const writeNow = async (): Promise<void> => {
    try {
      await files.replaceFile(path, capture(), FILE_MODE);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new Error(`failed to write checkpoint file "${basename(path)}": ${problem}`, { cause: error });
    }
  };
  const start = (): Promise<void> => {
    const write = writeNow().finally(() => {
      if (writing === write) writing = undefined;
    });
    writing = write;
    return write;
  };
  return {
    read: () => files.readPrivate(path, MAX_FILE_BYTES),
    write() {
      // Also when no write is in flight: the next one starts a few turns after the end of the last one.
      if (next !== undefined) return next;
      if (writing === undefined) return start();
      next = writing
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
  };
}
