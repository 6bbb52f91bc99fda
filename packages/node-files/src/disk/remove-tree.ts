import { constants } from 'node:fs';
import { type FileHandle, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode, UnsafePathError } from '../errors.ts';
import { named, nameError } from './name-error.ts';
import { mountIdOf } from './open-entry.ts';
import { unlessMissing } from './unless-missing.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Directories below this depth are moved up, so that a deep tree needs neither many descriptors nor a deep stack. */
const MAX_DEPTH = 16;
const CHUNK = 256;
/** Bound for a directory that grows while it is emptied. */
const MAX_PASSES = 100;

type OpenDirectory = Pick<FileHandle, 'fd'>;

/** A directory whose content is being removed. */
interface DirectoryToRemove {
  readonly handle: OpenDirectory;
  /** For messages. */
  readonly path: string;
  readonly depth: number;
}

/**
 * Removes an entry with everything below it. Each directory is opened from the one above, no link is followed and no mount is entered, even if the tree changes
 * meanwhile.
 *
 * @param above open directory that holds the entry
 * @throws UnsafePathError for a mount point in the tree; what was removed before stays removed
 */
export async function removeTreeAt(above: OpenDirectory, name: string, path: string): Promise<void> {
  const mountId = await mountIdOf(above.fd);
  let top: OpenDirectory | undefined;
  let moved = 0;

  const removeEntry = async (parent: OpenDirectory, entry: string, entryPath: string, depth: number): Promise<void> => {
    const location = locationOf(parent, entry);
    try {
      return void (await unlessMissing(unlink(location)));
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'EBUSY') throw new UnsafePathError('MountPoint', entryPath, { cause: error });
      if (code !== 'EISDIR') throw nameError(error, dirname(entryPath));
    }
    if (depth >= MAX_DEPTH && top !== undefined) return moveUp(location, top);
    await using handle = await named(openBelow(location), dirname(entryPath));
    if (handle === undefined) return;
    if ((await mountIdOf(handle.fd)) !== mountId) throw new UnsafePathError('MountPoint', entryPath);
    top ??= handle;
    await removeContent({ handle, path: entryPath, depth });
    if (top === handle) top = undefined;
    await unlessMissing(rmdir(location)).catch((error: unknown) => {
      throw systemErrorCode(error) === 'EBUSY'
        ? new UnsafePathError('MountPoint', entryPath, { cause: error })
        : nameError(error, dirname(entryPath));
    });
  };

  /** Removing entries while listing them may skip some, so a directory is listed until it is empty. */
  const removeContent = async ({ handle, path: directoryPath, depth }: DirectoryToRemove): Promise<void> => {
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      let isEmpty = true;
      for await (const { name: entry } of await named(
        opendir(locationOf(handle), { bufferSize: CHUNK }),
        directoryPath,
      )) {
        isEmpty = false;
        await removeEntry(handle, entry, `${directoryPath}/${entry}`, depth + 1);
      }
      if (isEmpty) return;
    }
  };

  const moveUp = async (location: string, to: OpenDirectory): Promise<void> => {
    for (;;) {
      try {
        return void (await unlessMissing(rename(location, locationOf(to, `.removed-${String(moved++)}`))));
      } catch (error) {
        const code = systemErrorCode(error);
        if (code === 'EBUSY') throw new UnsafePathError('MountPoint', path, { cause: error });
        // The name is taken.
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw nameError(error, dirname(path));
      }
    }
  };

  await removeEntry(above, name, path, 0);
}

function openBelow(location: string): Promise<FileHandle | undefined> {
  return unlessMissing(open(location, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
}

function locationOf(directory: OpenDirectory, name = ''): string {
  return `/proc/self/fd/${String(directory.fd)}/${name}`;
}
