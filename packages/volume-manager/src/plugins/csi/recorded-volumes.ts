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

/** Reports whether the disk has a record of a persistent CSI volume for another pod. A damaged one counts, because the volume may be mounted. */
export async function isRecordedElsewhere(
  { files, paths }: IsRecordedElsewherePorts,
  volumeName: string,
  podUid: string,
): Promise<boolean> {
  for (const uid of await files.list(paths.pods)) {
    if (uid === podUid) continue;
    const read = async () => readVolumeData(files, paths.volume(uid, CSI_PLUGIN, volumeName));
    const data = await read().catch(() => 'damaged' as const);
    if (data === 'damaged' || (data !== undefined && data.volumeLifecycleMode !== 'Ephemeral')) return true;
    if ((await files.stat(paths.volumeDevice(uid, CSI_PLUGIN, volumeName))) !== undefined) return true;
  }
  return false;
}

/** Ports of {@link isRecordedElsewhere}. */
export interface IsRecordedElsewherePorts {
  readonly files: Pick<NodeFiles, 'list' | 'readFile' | 'stat'>;
  readonly paths: Pick<VolumePaths, 'pods' | 'volume' | 'volumeDevice'>;
}
