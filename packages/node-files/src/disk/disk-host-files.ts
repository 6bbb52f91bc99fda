import { constants, fstatSync, type FSWatcher, watch } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import type { HostEntry, HostFiles } from '../host-files.ts';
import { openHostDirectory } from './disk-directory-handle.ts';
import { fileInfoOf } from './file-info-of.ts';
import { openDescriptor, readRegularFile } from './open-descriptor.ts';
import { openFileOf } from './open-file-handle.ts';
import { createPlacements, type PlacementObserver } from './placements.ts';
import { unlessMissing } from './unless-missing.ts';

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;
/** Without O_NONBLOCK, opening a pipe would wait for a writer. */
const READ_FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY;
const PERMISSIONS = 0o7777;
/** Results of following a link that leads to nothing, through a file, or in a circle. */
const LINK_TO_NOTHING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Creates {@link HostFiles} on the node's disks. Changes are watched by inotify. */
export function createHostFiles(): HostFiles {
  return {
    async read(path, maxBytes) {
      using file = await unlessMissing(openDescriptor(path, READ_FLAGS));
      if (file === undefined) return undefined;
      const bytes = await readRegularFile(file, path, maxBytes);
      return { bytes, mode: fstatSync(file.fd).mode & PERMISSIONS };
    },
    async open(path) {
      const handle = await unlessMissing(open(path, READ_FLAGS));
      return handle && openFileOf(handle, path);
    },
    openDirectory: openHostDirectory,
    async stat(path) {
      const stats = await unlessMissing(stat(path, { bigint: true }));
      return stats && fileInfoOf(stats);
    },
    async list(path) {
      const stats = await stat(path, { bigint: true });
      // A new directory may get the inode number of a removed one.
      const identity = [stats.dev, stats.ino, stats.birthtimeNs].join(':');
      if (!stats.isDirectory()) {
        return { kind: 'file', identity, entries: [{ name: basename(path), path, info: fileInfoOf(stats) }] };
      }
      const entries = (await readdir(path)).map(async (name): Promise<HostEntry> => {
        const entryPath = join(path, name);
        try {
          return { name, path: entryPath, info: fileInfoOf(await stat(entryPath, { bigint: true })) };
        } catch (error) {
          const isLinkToNothing = LINK_TO_NOTHING.has(systemErrorCode(error));
          return { name, path: entryPath, info: undefined, ...(!isLinkToNothing && { error: error as Error }) };
        }
      });
      return { kind: 'directory', identity, entries: await Promise.all(entries) };
    },
    watch(path, observer) {
      const watchers: FSWatcher[] = [];
      let isOpen = true;
      const close = (): void => {
        isOpen = false;
        watchers.splice(0).forEach((watcher) => watcher.close());
      };
      const report: PlacementObserver = {
        onPlaced: (file) => void (isOpen && observer.onPlaced?.(file)),
        onRemoved: (removed) => void (isOpen && observer.onRemoved?.(removed)),
      };
      const add = (watched: string, onlyName?: string): void => {
        const placements = (observer.onPlaced ?? observer.onRemoved) && createPlacements(watched, report);
        const watcher = watch(watched, { persistent: false }, (event, name) => {
          if (onlyName !== undefined && name !== null && name !== onlyName) return;
          observer.onChange({ name: name ?? undefined });
          if (name === null) return;
          if (event === 'rename') placements?.renamed(name);
          else placements?.written(name);
        });
        watcher.on('error', (error) => {
          close();
          observer.onEnd?.(error);
        });
        watchers.push(watcher);
      };
      add(path);
      try {
        // A file is replaced, and a directory reappears, in the directory above.
        add(dirname(path), basename(path));
      } catch {
        // The directory above may be unreadable; callers look periodically as well.
      }
      return { [Symbol.dispose]: close };
    },
  };
}
