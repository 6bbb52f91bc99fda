import { join } from 'node:path';
import type { NodeFiles } from '@rxlet/node-files';
import type { PositionStore } from './log-writer.ts';

const MAX_BYTES = 4096;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** {@link PositionStore} with the containers that have a position. */
export interface PositionFiles extends PositionStore {
  list(): Promise<readonly string[]>;
}

/** Creates a store in `<root>/log-positions`; `root` must be a root of `files`. */
export function createPositionStore(files: NodeFiles, root: string): PositionFiles {
  const folder = join(root, 'log-positions');
  return {
    async read(containerId) {
      const bytes = await files.readFile(join(folder, containerId), MAX_BYTES);
      const [, time, count] = /^(\S+) (\d+)$/.exec(Buffer.from(bytes ?? []).toString('utf8')) ?? [];
      return time === undefined ? undefined : { time, count: Number(count) };
    },
    async write(containerId, { time, count }) {
      await files.makeDirectory(folder, FOLDER_MODE);
      await files.replaceFile(join(folder, containerId), `${time} ${String(count)}`, FILE_MODE);
    },
    remove: (containerId) => files.removeFile(join(folder, containerId)),
    list: async () => (await files.list(folder)).filter((name) => !name.endsWith('.tmp')),
  };
}
