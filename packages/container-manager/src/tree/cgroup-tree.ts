import { errorMessage, type Logger } from '@rxlet/component-base';
import { systemErrorCode } from '@rxlet/node-files';
import { type CgroupDriver, type CgroupName, cgroupPath } from '@rxlet/pod-model/cgroups';
import type { CgroupValues } from '../values/cgroup-values.ts';
import { type CgroupController, cgroupWrites } from '../values/cgroup-writes.ts';
import { sliceProperties } from '../systemd/slice-properties.ts';
import type { SystemdSlices } from '../systemd/slices.ts';
import type { CgroupMetrics } from '../metrics.ts';
import type { CgroupFileSystem } from './cgroup-file-system.ts';
import { type RemoveOptions, removeTree } from './remove-tree.ts';

/** Cgroups of a node by name, with values independent of the version of the cgroup file system. */
export interface CgroupTree {
  /** Returns the path of a cgroup below the root of the cgroup file system. @throws RangeError for an invalid name */
  pathOf(name: CgroupName): string;
  exists(name: CgroupName): Promise<boolean>;
  /** Creates a cgroup with its missing parents and sets its values. Values that cannot be set are logged: the next update sets them. */
  create(name: CgroupName, values: CgroupValues): Promise<void>;
  /** Sets values. Rejects with the first failure, after all values were tried. */
  update(name: CgroupName, values: CgroupValues): Promise<void>;
  /** Kills all processes of a cgroup, and removes it and its children. Succeeds when it does not exist. Rejects while processes remain. */
  remove(name: CgroupName, options: RemoveOptions): Promise<void>;
  /** Reads a value; `undefined` when the cgroup or the file does not exist. */
  read(name: CgroupName, controller: CgroupController, file: string): Promise<string | undefined>;
  /** Returns the memory in use, in bytes; `undefined` when the cgroup does not exist. */
  memoryUsage(name: CgroupName): Promise<number | undefined>;
}

/** Options of {@link createCgroupTree}. */
export interface CgroupTreeOptions {
  readonly driver: CgroupDriver;
  readonly logger: Logger;
  readonly metrics?: CgroupMetrics | undefined;
  /** Systemd, with the driver `systemd`. */
  readonly slices?: SystemdSlices | undefined;
}

/** A value of a cgroup could not be set. */
export class CgroupWriteError extends Error {
  override readonly name = 'CgroupWriteError';
}

/** Creates a {@link CgroupTree}. */
export function createCgroupTree(
  cgroups: CgroupFileSystem,
  { driver, logger, slices, metrics }: CgroupTreeOptions,
): CgroupTree {
  const pathOf = (name: CgroupName): string => cgroupPath(name, driver);

  const measure = metrics?.measure ?? ((_operation: string, work: () => Promise<void>) => work());
  const write = async (name: CgroupName, values: CgroupValues): Promise<void> => {
    const path = pathOf(name);
    const failures: unknown[] = [];
    try {
      await slices?.setProperties(sliceOf(path), sliceProperties(values, cgroups.format.version));
    } catch (error) {
      failures.push(error);
    }
    for (const { optional = false, ...change } of cgroupWrites(values, cgroups.format)) {
      if (!cgroups.controllers.has(change.controller)) continue;
      try {
        await cgroups.write(path, change);
      } catch (error) {
        if (optional && systemErrorCode(error) === 'ENOENT') continue;
        failures.push(
          new CgroupWriteError(
            `cannot set ${change.file} of cgroup ${path} to ${change.content}: ${errorMessage(error)}`,
            { cause: error },
          ),
        );
      }
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    pathOf,
    exists: (name) => cgroups.exists(pathOf(name)),
    create: (name, values) =>
      measure('create', async () => {
        await slices?.start(sliceOf(pathOf(name)));
        await cgroups.create(pathOf(name));
        try {
          await write(name, values);
        } catch (error) {
          logger.warn('cannot set the values of a new cgroup', { cgroup: pathOf(name), error: errorMessage(error) });
        }
      }),
    update: (name, values) => measure('update', () => write(name, values)),
    remove: (name, options) =>
      measure('destroy', async () => {
        const path = pathOf(name);
        // systemd kills the processes of a slice that it stops.
        if (slices !== undefined && (await cgroups.exists(path))) await slices.stop(sliceOf(path));
        await removeTree(cgroups, path, options);
      }),
    read: (name, controller, file) => cgroups.read(pathOf(name), controller, file),
    async memoryUsage(name) {
      const file = cgroups.format.version === 1 ? 'memory.usage_in_bytes' : 'memory.current';
      const text = await cgroups.read(pathOf(name), 'memory', file);
      return text === undefined ? undefined : Number(text);
    },
  };
}

/** Returns the name of the slice at a path. */
function sliceOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
