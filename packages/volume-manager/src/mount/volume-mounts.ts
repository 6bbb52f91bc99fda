import type { VolumeMounts as PluginMounts } from '@rxlet/agent-api/volumes';
import type { NodeFiles } from '@rxlet/node-files';
import type { Mounter, UnmountOptions } from './mounter.ts';

/** Mounts below the agent's root directory, by the paths that the agent uses. */
export interface VolumeMounts extends PluginMounts {
  /** Returns a path as the mount table has it, without links. */
  realPath(path: string): Promise<string>;
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
    async mount(request, signal) {
      await inTable(request.target);
      await mounter.mount(request, signal);
    },
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
