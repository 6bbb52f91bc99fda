import { errorMessage } from '@rxlet/component-base';
import { pathElement } from '@rxlet/node-files';
import type { PluginContext } from './plugin-context.ts';
import { createTurns } from './turns.ts';

export const LOCAL_PLUGIN = 'kubernetes.io/local-volume';

/** A disk of a local volume. */
export interface LocalDisk {
  /** Name of the persistent volume. */
  readonly volumeName: string;
  /** Path of the device, without links. */
  readonly device: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly mountOptions: readonly string[];
}

/** Disks of local volumes with a file system, each of which is mounted once for the pods that use it (kubelet: the DeviceMounter of localVolumePlugin). */
export interface LocalDisks {
  /** Returns the directory that a disk is mounted at. */
  directory(volumeName: string): string;
  /** Mounts a disk, which gets a file system if it has no content. The directory of the volume for the pod must exist, as the record of its use. */
  mount(disk: LocalDisk, signal: AbortSignal): Promise<void>;
  /** Removes the record of a pod's use, and unmounts the disk before, if there is one that no other pod uses. */
  release(podUid: string, volumeName: string, removeRecord: () => Promise<void>, signal?: AbortSignal): Promise<void>;
}

/** Creates {@link LocalDisks}. */
export function createLocalDisks(context: PluginContext): LocalDisks {
  const { files, mounts, paths, fileSystems, rootDirectory, clock } = context;
  const base = `${rootDirectory}/plugins/${LOCAL_PLUGIN}/mounts`;
  const turns = createTurns(clock);
  const directoryOf = (volumeName: string): string => `${base}/${pathElement(volumeName)}`;

  const isUsedByOthers = async (podUid: string, volumeName: string): Promise<boolean> => {
    for (const uid of await files.list(paths.pods))
      if (uid !== podUid && (await files.exists(paths.volume(uid, LOCAL_PLUGIN, volumeName)))) return true;
    return false;
  };

  return {
    directory: directoryOf,
    mount: ({ volumeName, device, fsType, readOnly, mountOptions }, signal) =>
      turns.run(volumeName, signal, async () => {
        const target = directoryOf(volumeName);
        if ((await mounts.at(target)) !== undefined) return;
        await files.makeDirectory(target, 0o750);
        try {
          await fileSystems.prepare(device, { type: fsType, readOnly });
          // The pod may have ended meanwhile.
          signal.throwIfAborted();
          const options = [...(readOnly ? ['ro'] : []), ...mountOptions, 'defaults'];
          await mounts.mount({ source: device, target, fsType, options });
        } catch (error) {
          if ((await mounts.at(target)) === undefined) await files.removeEmptyDirectory(target).catch(() => undefined);
          signal.throwIfAborted();
          const failure = `local: failed to mount device ${device} at ${target} (fstype: ${fsType})`;
          throw new Error(`${failure}, error ${errorMessage(error)}`, { cause: error });
        }
      }),
    release: (podUid, volumeName, removeRecord, signal) =>
      turns.run(volumeName, signal, async () => {
        const target = directoryOf(volumeName);
        if ((await files.exists(target)) && !(await isUsedByOthers(podUid, volumeName))) {
          await mounts.unmountAll(target, {}, signal);
          if (!(await files.removeEmptyDirectory(target))) throw new Error(`cannot remove ${target}: it is not empty`);
        }
        await removeRecord();
      }),
  };
}
