import type { MemoryFiles } from '@rxlet/node-files/testing';
import { createMemoryFileSystems, type MemoryFileSystems } from './block/memory-file-systems.ts';
import { createMemoryLoopDevices, type MemoryLoopDevices } from './block/memory-loop-devices.ts';
import { createMemoryMounter, type MemoryMounter } from './mount/memory-mounter.ts';
import type { VolumesOptions } from './volumes-module.ts';

/** Options of `volumes()` in memory. */
export interface MemoryVolumes extends VolumesOptions {
  readonly mounter: MemoryMounter;
  readonly loopDevices: MemoryLoopDevices;
  readonly fileSystems: MemoryFileSystems;
}

/** Returns the options of `volumes()` for files in memory, with their mounts. */
export function memoryVolumes(files: MemoryFiles): MemoryVolumes {
  return {
    mounter: createMemoryMounter(files),
    loopDevices: createMemoryLoopDevices(),
    fileSystems: createMemoryFileSystems(),
    hostPaths: {
      makeDirectory: async (path) => files.putDirectory(path),
      makeFile: async (path) => files.put(path, ''),
    },
    realPath: async (path) => path,
    supportsNoSwap: true,
  };
}
