import { readFileSync, renameSync } from 'node:fs';
import { replaceFile } from '@rxlet/component-base/files';
import type { StateStore } from './state-store.ts';

/**
 * Keeps state in a file. It is written beside it, brought to the disk and then renamed, so that the file is always a whole one, also after a crash. What
 * cannot be read is renamed to `<path>.corrupt`.
 */
export function createFileStateStore(path: string): StateStore {
  return {
    load() {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: (text) => replaceFile(path, text, 0o600),
    setAside() {
      const aside = `${path}.corrupt`;
      renameSync(path, aside);
      return aside;
    },
  };
}
