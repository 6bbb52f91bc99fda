import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, unlessMissing } from '@rxlet/component-base/files';
import type { LastGoodFile } from './last-good-pods.ts';

/** Several times the manifests of the largest node. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The file `static_pods` in the root directory of the agent (`--root-dir`), which has to exist. It is for the agent's user alone, because manifests may hold
 * passwords, and is believed only if nobody else can have written it.
 */
export function nodeLastGoodFile(rootDirectory: string): LastGoodFile {
  const path = join(rootDirectory, 'static_pods');
  return {
    path,
    async read() {
      // Not blocking, in case it is a pipe.
      const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
      await using file = await unlessMissing(open(path, flags));
      if (file === undefined) return undefined;
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error('it is not a plain file');
      if (stats.uid !== process.geteuid?.()) throw new Error(`it belongs to user ${String(stats.uid)}`);
      if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new Error('it may be written by other users');
      if (stats.size > MAX_FILE_BYTES) throw new Error(`it has ${String(stats.size)} bytes`);
      return file.readFile('utf8');
    },
    write: (text) => replaceFile(path, text, 0o600),
  };
}
