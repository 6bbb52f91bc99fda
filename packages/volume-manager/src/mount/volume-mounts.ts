import type { NodeFiles } from '@rxlet/node-files';
import type { MountPoint } from './mount-table.ts';
import type { Mounter, UnmountOptions } from './mounter.ts';

/** Mounts below the agent's root directory, by the paths that the agent uses. */
export interface VolumeMounts {
  /** Returns a path as the mount table has it, without links. */
  realPath(path: string): Promise<string>;
  /** Returns the topmost mount on a path. Reads the mount table, not the file system, which may belong to an unreachable server. */
  at(path: string): Promise<MountPoint | undefined>;
  /** Removes every mount on a path and below it, the last one first. */
  unmountAll(path: string, options?: UnmountOptions, signal?: AbortSignal): Promise<void>;
  /** Unmounts as {@link VolumeMounts.unmountAll}, then removes the path with everything below it. */
  remove(path: string, signal?: AbortSignal): Promise<void>;
}

/** Ports of {@link createVolumeMounts}. */
export interface VolumeMountsPorts {
  readonly mounter: Mounter;
  readonly files: Pick<NodeFiles, 'removeTree'>;
  /** Directory of the agent as the agent uses it. */
  readonly rootDirectory: string;
  /** Returns the path of a directory without links, as the mount table has it. */
  realPath(path: string): Promise<string>;
}

/** Bound for unmounts of one path, onto which something else keeps mounting. */
const MAX_UNMOUNTS = 100;

/** Creates {@link VolumeMounts}. */
export function createVolumeMounts({ mounter, files, rootDirectory, realPath }: VolumeMountsPorts): VolumeMounts {
  let realRoot: Promise<string> | undefined;
  /** Below the root there are no links. */
  const inTable = async (path: string): Promise<string> => {
    if (path !== rootDirectory && !path.startsWith(`${rootDirectory}/`))
      throw new TypeError(`${path} is not below ${rootDirectory}`);
    realRoot ??= realPath(rootDirectory).catch((error: unknown) => {
      realRoot = undefined;
      throw error;
    });
    return (await realRoot) + path.slice(rootDirectory.length);
  };

  const unmountAll = async (path: string, options?: UnmountOptions, signal?: AbortSignal): Promise<void> => {
    const real = await inTable(path);
    for (let count = 0; count < MAX_UNMOUNTS; count += 1) {
      const [last] = (await mounter.mounts()).within(real);
      if (last === undefined) return;
      await mounter.unmount(last.target, options, signal);
    }
    throw new Error(`cannot unmount ${path}: it is mounted again and again`);
  };

  return {
    realPath: inTable,
    async at(path) {
      const real = await inTable(path);
      return (await mounter.mounts()).at(real);
    },
    unmountAll,
    async remove(path, signal) {
      await unmountAll(path, {}, signal);
      // Stops at whatever was mounted since.
      await files.removeTree(path);
    },
  };
}
