import { existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createNodeFiles } from '../disk/disk-node-files.ts';
import { systemErrorCode } from '../errors.ts';
import type { StateStore } from './state-store.ts';

/** A state file cannot be used. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';

  constructor(path: string, problem: string) {
    super(`cannot use the state file ${path}: ${problem}`);
  }
}

/** Creates a {@link StateStore} on a file. Each save replaces the file in one step, so that it is complete after a crash. A corrupt file is renamed to `<path>.corrupt`. */
export function createFileStateStore(path: string): StateStore {
  const folder = dirname(resolve(path));
  const files = createNodeFiles({ roots: [folder] });
  return {
    load() {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT') throw new StateFileError(path, (error as Error).message);
        if (!existsSync(folder)) throw new StateFileError(path, `the folder ${folder} does not exist`);
        return undefined;
      }
    },
    save: (text) => files.replaceFile(path, text, 0o600),
    setAside() {
      const aside = `${path}.corrupt`;
      renameSync(path, aside);
      return aside;
    },
  };
}
