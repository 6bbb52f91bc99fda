import type { NodeFiles } from '@rxlet/node-files';
import { ID_MAPPING_FILE } from '../userns/user-namespaces.ts';

/**
 * Removes the files that the manager created for a pod; nothing is removed through a mount point. Other directories are removed only if they are empty: a volume
 * may still be mounted there, and removing its content would destroy data.
 *
 * @param directory the pod's own directory, `<root>/pods/<uid>`
 * @returns whether the directory was removed
 */
export async function removePodDirectory(
  files: Pick<NodeFiles, 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>,
  directory: string,
): Promise<boolean> {
  await files.removeTree(`${directory}/containers`);
  await files.removeFile(`${directory}/etc-hosts`);
  await files.removeFile(`${directory}/${ID_MAPPING_FILE}`);
  for (const name of ['volumes', 'volume-subpaths', 'volumeDevices', 'plugins'])
    await files.removeEmptyDirectory(`${directory}/${name}`);
  return files.removeEmptyDirectory(directory);
}
