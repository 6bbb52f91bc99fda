import type { RecordedVolume } from '@rxlet/agent-api/volumes';
import type { NodeFiles } from '@rxlet/node-files';
import type { VolumePaths } from '../volume-paths.ts';
import type { AnyVolumePlugin } from './desired-volumes.ts';

/** Ports of {@link recordedVolumes} and {@link isRecordedElsewhere}. */
export interface RecordedVolumesPorts {
  readonly files: Pick<NodeFiles, 'list'>;
  readonly paths: Pick<VolumePaths, 'pods'>;
  readonly plugins: readonly Pick<AnyVolumePlugin, 'recordedVolumes' | 'mayBeMounted'>[];
}

/** Stands for the records of a pod whose directory cannot be read. The other pods of the node must run nevertheless. */
const unreadable: readonly RecordedVolume[] = [{ isDamaged: true }];

/** Returns the volumes of all pods that the disk has records of, with the UID of their pod. */
export async function recordedVolumes({
  files,
  paths,
  plugins,
}: RecordedVolumesPorts): Promise<readonly (RecordedVolume & { readonly podUid: string })[]> {
  const found: (RecordedVolume & { readonly podUid: string })[] = [];
  for (const podUid of await files.list(paths.pods)) {
    for (const plugin of plugins) {
      const ofPlugin = (await plugin.recordedVolumes?.(podUid).catch(() => unreadable)) ?? [];
      found.push(...ofPlugin.map((volume) => ({ ...volume, podUid })));
    }
  }
  return found;
}

/** Reports whether the disk shows that a persistent volume may be mounted for another pod. */
export async function isRecordedElsewhere(
  { files, paths, plugins }: RecordedVolumesPorts,
  volumeName: string,
  podUid: string,
): Promise<boolean> {
  for (const uid of await files.list(paths.pods)) {
    if (uid === podUid) continue;
    for (const plugin of plugins) if ((await plugin.mayBeMounted?.(uid, volumeName)) === true) return true;
  }
  return false;
}
