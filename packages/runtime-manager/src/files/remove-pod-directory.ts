import type { FileSystem } from './file-system.ts';

/**
 * Removes the directory of a pod that is gone, as far as the manager made it. Of the rest only what is empty goes: a volume that somebody else put there may
 * still be mounted, and removing its content would destroy data.
 *
 * @param directory the pod's own directory, `<root>/pods/<uid>`
 * @returns whether it is gone.
 */
export async function removePodDirectory(
  files: Pick<FileSystem, 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>,
  directory: string,
): Promise<boolean> {
  await files.removeTree(`${directory}/containers`);
  await files.removeFile(`${directory}/etc-hosts`);
  await files.removeEmptyDirectory(`${directory}/volumes`);
  await files.removeEmptyDirectory(`${directory}/plugins`);
  return files.removeEmptyDirectory(directory);
}
