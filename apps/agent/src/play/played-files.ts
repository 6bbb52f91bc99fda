import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { AgentConnectionError } from '../commands/agent-connection.ts';
import type { PlayedObject } from './parse-play-file.ts';

/** Names of all files of `rxlet play` begin so. A leading dot would hide them from the agent. */
const PREFIX = 'play_';
/** Longest name of a file. */
const MAX_NAME_BYTES = 255;

/** Files of played objects in a folder of manifests, one for each object. */
export interface PlayedFiles {
  /** Returns the path of an object's file. */
  pathOf(object: Pick<PlayedObject, 'kind' | 'name' | 'namespace'>): string;
  /** Returns the text of an object's file; `undefined` if there is none. */
  read(object: PlayedObject): Promise<string | undefined>;
  /** Writes an object's file at once, for its owner only. */
  write(object: PlayedObject): Promise<void>;
  /** Removes an object's file. @returns whether there was one */
  remove(object: PlayedObject): Promise<boolean>;
  /** Reports whether the folder has any file of a played object. */
  hasAny(): Promise<boolean>;
}

/** Creates {@link PlayedFiles}. Failures are {@link AgentConnectionError}s that name the file. */
export function createPlayedFiles(folder: string): PlayedFiles {
  const pathOf: PlayedFiles['pathOf'] = ({ kind, namespace, name }) => {
    // Neither names nor namespaces have underscores.
    const file = `${PREFIX}${kind.toLowerCase()}_${namespace}_${name}.yaml`;
    if (Buffer.byteLength(file) > MAX_NAME_BYTES)
      throw new AgentConnectionError(`the name ${name} is too long for a file`);
    return join(folder, file);
  };
  const named = async <T>(action: string, path: string, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw new AgentConnectionError(`cannot ${action} ${path}: ${errorMessage(error)}`, { cause: error });
    }
  };
  return {
    pathOf,
    read(object) {
      const path = pathOf(object);
      return named('read', path, () => unlessMissing(readFile(path, 'utf8')));
    },
    async write(object) {
      const path = pathOf(object);
      await named('write', path, async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Hidden from the agent until it is whole, in a folder of its own, where no other user can place a link.
        const place = await mkdtemp(join(folder, '.play-'));
        try {
          const draft = join(place, 'manifest');
          {
            await using file = await open(draft, 'wx', 0o600);
            await file.writeFile(`${object.text}\n`);
            await file.chmod(0o600);
            // Otherwise a loss of power may leave an empty manifest under the name.
            await file.sync();
          }
          await rename(draft, path);
        } finally {
          await rm(place, { recursive: true, force: true });
        }
      });
    },
    async remove(object) {
      const path = pathOf(object);
      return named('remove', path, async () => (await unlessMissing(rm(path).then(() => true))) ?? false);
    },
    async hasAny() {
      const names = (await named('list', folder, () => unlessMissing(readdir(folder)))) ?? [];
      return names.some((name) => name.startsWith(PREFIX));
    },
  };
}

async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
