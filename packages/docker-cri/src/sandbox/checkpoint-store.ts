import { join } from 'node:path';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { decodeCheckpoint, encodeCheckpoint, type SandboxCheckpoint } from './checkpoint.ts';

/** Checkpoint files of sandboxes. */
export interface CheckpointStore {
  /** Checks that checkpoints can be written. */
  prepare(): Promise<void>;
  write(checkpoint: SandboxCheckpoint): Promise<void>;
  /** Returns a checkpoint; `undefined` when there is none, or it is damaged and was set aside. */
  read(sandboxId: string): Promise<SandboxCheckpoint | undefined>;
  remove(sandboxId: string): Promise<void>;
  list(): Promise<readonly SandboxCheckpoint[]>;
}

const MAX_BYTES = 1024 * 1024;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const ID = /^[0-9a-f]{64}$/;
const DAMAGED = '.damaged';

/** Creates a {@link CheckpointStore} in `<root>/sandbox`; `root` must be a root of `files`. */
export function createCheckpointStore(files: NodeFiles, root: string, logger: Logger): CheckpointStore {
  const folder = join(root, 'sandbox');
  const pathOf = (id: string): string => join(folder, id);
  const read: CheckpointStore['read'] = async (id) => {
    if (!ID.test(id)) return undefined;
    const bytes = await files.readFile(pathOf(id), MAX_BYTES);
    if (bytes === undefined) return undefined;
    try {
      return decodeCheckpoint(Buffer.from(bytes).toString('utf8'));
    } catch (error) {
      logger.warn('cannot read a checkpoint; it is set aside', { path: pathOf(id), error: errorMessage(error) });
      await files.rename(pathOf(id), pathOf(id) + DAMAGED);
      return undefined;
    }
  };
  return {
    read,
    prepare: async () => {
      await files.makeDirectory(folder, FOLDER_MODE);
      const probe = join(folder, '.probe');
      await files.replaceFile(probe, '', FILE_MODE);
      await files.removeFile(probe);
    },
    write: async (checkpoint) => {
      await files.makeDirectory(folder, FOLDER_MODE);
      await files.replaceFile(pathOf(checkpoint.id), encodeCheckpoint(checkpoint), FILE_MODE);
    },
    async remove(id) {
      if (!ID.test(id)) return;
      await files.removeFile(pathOf(id));
      await files.removeFile(pathOf(id) + DAMAGED);
    },
    async list() {
      const ids = (await files.list(folder)).filter((name) => ID.test(name));
      const checkpoints = await Promise.all(ids.map(read));
      return checkpoints.filter((checkpoint) => checkpoint !== undefined);
    },
  };
}
