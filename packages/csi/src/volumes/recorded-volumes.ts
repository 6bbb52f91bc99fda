import type { RecordedVolume } from '@rxlet/agent-api/volumes';
import type { NodeFiles } from '@rxlet/node-files';
import { uniqueVolumeName } from './csi-names.ts';
import { readVolumeData } from './volume-data.ts';

/**
 * Returns the record of a volume in a directory, as a list of at most one. A damaged one is not attached as far as is known; its removal fails loudly.
 *
 * @param directory throws for a volume that cannot exist, which counts as damaged
 */
export async function recordIn(
  files: Pick<NodeFiles, 'readFile'>,
  directory: () => string,
): Promise<readonly RecordedVolume[]> {
  const read = async () => readVolumeData(files, directory());
  const data = await read().catch(() => 'damaged' as const);
  if (data === undefined) return [];
  if (data === 'damaged') return [{ isDamaged: true }];
  if (data.volumeLifecycleMode === 'Ephemeral') return [{ isDamaged: false }];
  return [{ isDamaged: false, attachedAs: uniqueVolumeName(data.driverName, data.volumeHandle) }];
}

/** Reports whether a directory has the record of a persistent volume. A damaged one counts, because the volume may be mounted. */
export async function mayBePersistent(files: Pick<NodeFiles, 'readFile'>, directory: string): Promise<boolean> {
  const data = await readVolumeData(files, directory).catch(() => 'damaged' as const);
  return data === 'damaged' || (data !== undefined && data.volumeLifecycleMode !== 'Ephemeral');
}
