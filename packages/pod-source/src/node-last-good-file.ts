import { join } from 'node:path';
import { readOwnFile, replaceFile } from '@rxlet/component-base/files';
import type { LastGoodFile } from './last-good-pods.ts';

/** Several times the manifests of the largest node. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The file `static_pods` in the root directory of the agent (`--root-dir`), which has to exist. It is for the agent's user alone, because manifests may hold
 * passwords, and is believed only if nobody else can have written it.
 */
export function nodeLastGoodFile(rootDirectory: string): LastGoodFile {
  const path = join(rootDirectory, 'static_pods');
  return { path, read: () => readOwnFile(path, MAX_FILE_BYTES), write: (text) => replaceFile(path, text, 0o600) };
}
