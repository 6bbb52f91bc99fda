import type { CsiNode, CsiStageRequest } from '../csi-drivers.ts';
import { createKeyedExecutor } from '@rxlet/component-base';
import type { CsiContext } from './csi-context.ts';
import { CSI_PLUGIN, stagingDirectory } from './csi-names.ts';
import { readVolumeData, removeVolumeData, type VolumeData, writeVolumeData } from './volume-data.ts';

/** Persistent volumes at the place that all pods of the node share (kubelet: MountDevice and UnmountDevice). */
export interface CsiStaging {
  /** Returns the path that a volume is staged at. */
  path(driver: string, handle: string): string;
  /** Stages a volume unless this agent has done so. The driver answers at once for a volume that an earlier agent has staged. */
  stage(node: CsiNode, driver: string, request: CsiStageRequest, signal: AbortSignal): Promise<void>;
  /** Unstages a volume that no other pod uses, then runs `release`, which removes this pod's record of it. */
  unstage(
    node: CsiNode,
    data: VolumeData,
    user: string,
    release: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

const MODE = 0o750;

/** Creates {@link CsiStaging}. The pods' records on the disk are the users of a volume, so that a killed agent loses none. */
export function createCsiStaging({
  files,
  mounts,
  paths,
  rootDirectory,
}: Pick<CsiContext, 'files' | 'mounts' | 'paths' | 'rootDirectory'>): CsiStaging {
  const executor = createKeyedExecutor();
  /** Paths of the volumes that a driver has staged for this agent. A mount alone is no proof: the driver may have failed after it. */
  const staged = new Set<string>();
  const directoryOf = (driver: string, handle: string) => stagingDirectory(rootDirectory, driver, handle);
  const pathOf = (driver: string, handle: string): string => `${directoryOf(driver, handle)}/globalmount`;

  /** Reports whether a pod other than the user has a record of the volume. */
  const isUsed = async (data: VolumeData, user: string): Promise<boolean> => {
    for (const uid of await files.list(paths.pods)) {
      const volumes = paths.pluginVolumes(uid, CSI_PLUGIN);
      for (const name of await files.list(volumes)) {
        const directory = `${volumes}/${name}`;
        if (directory === user) continue;
        const other = await readVolumeData(files, directory).catch(() => 'damaged' as const);
        // The directory of a damaged record still shows the persistent volume. Other volumes must not wait for its repair.
        if (other === 'damaged' ? user.endsWith(`/${name}`) : isSameVolume(other, data)) return true;
      }
    }
    return false;
  };

  return {
    path: pathOf,
    stage: (node, driver, request, signal) =>
      executor.run(request.stagingTargetPath, async () => {
        signal.throwIfAborted();
        const { volumeId, stagingTargetPath } = request;
        const isMounted = (await mounts.at(stagingTargetPath)) !== undefined;
        if (isMounted && staged.has(stagingTargetPath)) return;
        staged.delete(stagingTargetPath);
        // Nothing looks at what is mounted: its server may not answer.
        if (!isMounted) await files.makeDirectory(stagingTargetPath, MODE);
        await writeVolumeData(files, directoryOf(driver, volumeId), { driverName: driver, volumeHandle: volumeId });
        await node.stageVolume(request, signal);
        staged.add(stagingTargetPath);
      }),
    unstage: (node, data, user, release, signal) =>
      executor.run(pathOf(data.driverName, data.volumeHandle), async () => {
        signal?.throwIfAborted();
        const directory = directoryOf(data.driverName, data.volumeHandle);
        const stagingTargetPath = pathOf(data.driverName, data.volumeHandle);
        if ((await files.exists(directory)) && !(await isUsed(data, user))) {
          staged.delete(stagingTargetPath);
          const capabilities = await node.capabilities(signal);
          if (capabilities.has('STAGE_UNSTAGE_VOLUME'))
            await node.unstageVolume({ volumeId: data.volumeHandle, stagingTargetPath }, signal);
          if (!(await files.removeEmptyDirectory(stagingTargetPath)))
            throw new Error(`failed to clean up global mount ${stagingTargetPath}: it is not empty`);
          await removeVolumeData(files, directory);
          await files.removeEmptyDirectory(directory);
        }
        await release();
      }),
  };
}

function isSameVolume(one: VolumeData | undefined, other: VolumeData): boolean {
  return one?.driverName === other.driverName && one.volumeHandle === other.volumeHandle;
}
