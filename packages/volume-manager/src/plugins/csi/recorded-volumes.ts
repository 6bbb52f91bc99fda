import type { NodeFiles } from '@rxlet/node-files';
import type { VolumePaths } from '../../volume-paths.ts';
import { blockVolumePaths, CSI_PLUGIN, uniqueVolumeName } from './csi-names.ts';
import { readVolumeData } from './volume-data.ts';

/** A persistent volume of a pod on the disk. */
export interface RecordedVolume {
  readonly podUid: string;
  /** Name in the status of the node, if the volume is attached to it. */
  readonly uniqueName: string;
}

/** Ports of {@link recordedVolumes}. */
export interface RecordedVolumesPorts {
  readonly files: Pick<NodeFiles, 'list' | 'readFile'>;
  readonly paths: Pick<VolumePaths, 'pods' | 'pluginVolumes' | 'pluginVolumeDevices'>;
  readonly rootDirectory: string;
}

/**
 * Returns the persistent CSI volumes of all pods, which an earlier agent may have mounted. Damaged records are left out; their removal fails loudly.
 *
 * @param onRecord called for each record, with whether it is damaged
 */
export async function recordedVolumes(
  { files, paths, rootDirectory }: RecordedVolumesPorts,
  onRecord: (isDamaged: boolean) => void = () => undefined,
): Promise<readonly RecordedVolume[]> {
  const found: RecordedVolume[] = [];
  const add = async (podUid: string, directory: () => string): Promise<void> => {
    let isDamaged = false;
    const read = async () => readVolumeData(files, directory());
    const data = await read().catch(() => void (isDamaged = true));
    if (isDamaged || data !== undefined) onRecord(isDamaged);
    if (data === undefined || data.volumeLifecycleMode === 'Ephemeral') return;
    found.push({ podUid, uniqueName: uniqueVolumeName(data.driverName, data.volumeHandle) });
  };
  for (const podUid of await files.list(paths.pods)) {
    const volumes = paths.pluginVolumes(podUid, CSI_PLUGIN);
    for (const name of await files.list(volumes)) await add(podUid, () => `${volumes}/${name}`);
    for (const name of await files.list(paths.pluginVolumeDevices(podUid, CSI_PLUGIN)))
      await add(podUid, () => blockVolumePaths(rootDirectory, name).data);
  }
  return found;
}
