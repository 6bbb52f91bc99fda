import { errorMessage, withDeadline } from '@rxlet/component-base';
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
  /** Grows the file system of a disk that is mounted to the size of the disk. A wait ends when the signal aborts; the growth goes on. */
  grow(volumeName: string, device: string, signal: AbortSignal): Promise<void>;
  /** Removes the record of a pod's use, and unmounts the disk before, if there is one that no other pod uses. */
  release(podUid: string, volumeName: string, removeRecord: () => Promise<void>, signal?: AbortSignal): Promise<void>;
}

/** Creates {@link LocalDisks}. */
export function createLocalDisks(context: PluginContext): LocalDisks {
  const { files, mounts, paths, fileSystems, rootDirectory, clock, realPath } = context;
  const base = `${rootDirectory}/plugins/${LOCAL_PLUGIN}/mounts`;
  const turns = createTurns(clock);
  const directoryOf = (volumeName: string): string => `${base}/${pathElement(volumeName)}`;

  const isUsedByOthers = async (podUid: string, volumeName: string): Promise<boolean> => {
    for (const uid of await files.list(paths.pods)) {
      if (uid === podUid) continue;
      // Nothing looks at what is mounted: the disk may not answer.
      const names = await files.list(paths.pluginVolumes(uid, LOCAL_PLUGIN));
      if (names.includes(volumeName)) return true;
    }
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
          const options = [...(readOnly ? ['ro'] : []), ...mountOptions, 'defaults'];
          await fileSystems.prepare(device, { type: fsType, readOnly: options.includes('ro') });
          // The pod may have ended meanwhile.
          signal.throwIfAborted();
          await mounts.mount({ source: device, target, fsType, options });
        } catch (error) {
          if ((await mounts.at(target)) === undefined) await files.removeEmptyDirectory(target).catch(() => undefined);
          signal.throwIfAborted();
          const failure = `local: failed to mount device ${device} at ${target} (fstype: ${fsType})`;
          throw new Error(`${failure}, error ${errorMessage(error)}`, { cause: error });
        }
      }),
    grow: (volumeName, device, signal) =>
      withDeadline(clock, Infinity, signal, () =>
        turns.run(volumeName, undefined, async () => {
          const target = directoryOf(volumeName);
          const source = (await mounts.at(target))?.source;
          // The path may lead to another disk by now.
          if (source === undefined || (await realPath(source)) !== device)
            throw new Error(`${device} is not mounted at ${target}`);
          await fileSystems.grow(device, target);
        }),
      ),
    release: (podUid, volumeName, removeRecord, signal) =>
      turns.run(volumeName, signal, async () => {
        const target = directoryOf(volumeName);
        const isThere = (await mounts.at(target)) !== undefined || (await files.exists(target));
        if (isThere && !(await isUsedByOthers(podUid, volumeName))) {
          await mounts.unmountAll(target, {}, signal);
          if (!(await files.removeEmptyDirectory(target))) throw new Error(`cannot remove ${target}: it is not empty`);
        }
        await removeRecord();
      }),
  };
}
