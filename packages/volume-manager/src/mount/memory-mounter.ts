import type { MemoryFiles } from '@rxlet/node-files/testing';
import { type MountPoint, mountTable } from './mount-table.ts';
import { MountError, type Mounter, type MountRequest } from './mounter.ts';

/** Mounts in memory, for tests. */
export interface MemoryMounter extends Mounter {
  /** Targets that something is mounted on, in order. */
  readonly targets: readonly string[];
  /** Requests so far. */
  readonly requests: readonly MountRequest[];
  /** Consulted before each call: it may throw, or return a promise that the call waits for. */
  fault: ((operation: 'mount' | 'unmount', target: string, signal?: AbortSignal) => void | Promise<void>) | undefined;
}

/** Creates a {@link MemoryMounter} on files in memory. A bind mount shows its source, every other an empty directory. */
export function createMemoryMounter(files: MemoryFiles): MemoryMounter {
  const points: MountPoint[] = [];
  const requests: MountRequest[] = [];
  const mounter: MemoryMounter = {
    async mount(request, signal) {
      requests.push(request);
      const { source, target, fsType, options } = request;
      await mounter.fault?.('mount', target, signal);
      signal?.throwIfAborted();
      const from = typeof source === 'string' ? source : source.path;
      try {
        files.mount(target, options.includes('bind') ? from : undefined);
      } catch (error) {
        throw new MountError(`mount failed: exit status 32\nOutput: ${(error as Error).message}`);
      }
      points.push({ target, fsType: fsType ?? 'none', source: from, root: '/', options });
    },
    async unmount(target, _options, signal) {
      await mounter.fault?.('unmount', target, signal);
      signal?.throwIfAborted();
      const index = points.findLastIndex((point) => point.target === target);
      if (index === -1) throw new MountError(`unmount failed: exit status 32\nOutput: ${target}: not mounted.`);
      files.unmount(target);
      points.splice(index, 1);
    },
    problem: () => undefined,
    mounts: async () => mountTable([...points]),
    get targets() {
      return points.map(({ target }) => target);
    },
    requests,
    fault: undefined,
  };
  return mounter;
}
