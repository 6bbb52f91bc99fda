import { readFileSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StateStore } from './state-store.ts';

/**
 * Keeps state in a file. It is written beside it, brought to the disk and then renamed, so that the file is always a whole one, also after a crash. What
 * cannot be read is renamed to `<path>.corrupt`.
 */
export function createFileStateStore(path: string): StateStore {
  const beside = `${path}.tmp`;
  return {
    load() {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async save(text) {
      {
        await using file = await open(beside, 'w', 0o600);
        await file.writeFile(text);
        await file.sync();
      }
      await rename(beside, path);
      // The new name, too, is to outlive a crash.
      await using directory = await open(dirname(path), 'r');
      await directory.sync();
    },
    setAside() {
      const aside = `${path}.corrupt`;
      renameSync(path, aside);
      return aside;
    },
  };
}
