import { errorMessage } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import type { CheckpointData } from './checkpoint-data.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint-format.ts';

/** Name of the checkpoint in the directory of device plugins. */
export const CHECKPOINT_NAME = 'kubelet_internal_checkpoint';

/** The checkpoint of devices on disk. */
export interface CheckpointFile {
  /** Returns the content; `undefined` when there is no file. @throws CheckpointError or a file error */
  read(): Promise<CheckpointData | undefined>;
  /** Writes the current state. Requests during a write share the next one. Rejects with the kubelet's message. */
  write(): Promise<void>;
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const FILE_MODE = 0o600;

/** Creates a {@link CheckpointFile}, whose content is taken from `current` when it is written. */
export function createCheckpointFile(
  files: Pick<NodeFiles, 'readPrivate' | 'replaceFile'>,
  directory: string,
  current: () => CheckpointData,
): CheckpointFile {
  const path = `${directory}/${CHECKPOINT_NAME}`;
  let writing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const writeNow = async (): Promise<void> => {
    try {
      await files.replaceFile(path, formatCheckpoint(current()), FILE_MODE);
    } catch (error) {
      const message = `failed to write checkpoint file "${CHECKPOINT_NAME}": ${errorMessage(error)}`;
      throw new Error(message, { cause: error });
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
    async read() {
      const text = await files.readPrivate(path, MAX_FILE_BYTES);
      return text === undefined ? undefined : parseCheckpoint(text);
    },
    write() {
      if (writing === undefined) return start();
      next ??= writing
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
  };
}
