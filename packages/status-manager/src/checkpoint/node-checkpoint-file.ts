import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile, replaceFile } from '@rxlet/component-base/files';
import type { CheckpointFile } from './checkpoint-file.ts';

/** Several times what the largest node can hold. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The file `pod_statuses` in the root directory of the agent (`--root-dir`), for its user alone, and believed only if nobody else can have written it. */
export function createNodeCheckpointFile(rootDirectory: string): CheckpointFile {
  const path = join(rootDirectory, 'pod_statuses');
  return {
    path,
    read: () => readOwnFile(path, MAX_FILE_BYTES),
    async write(text) {
      await mkdir(rootDirectory, { recursive: true });
      await replaceFile(path, text, 0o600);
    },
    async setAside() {
      const aside = `${path}.corrupt`;
      await rename(path, aside);
      return aside;
    },
  };
}
