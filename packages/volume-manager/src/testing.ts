export { createMemoryMounter, type MemoryMounter } from './mount/memory-mounter.ts';
export { createMemoryFileSystems, type MemoryFileSystems } from './block/memory-file-systems.ts';
export { createMemoryLoopDevices, type MemoryLoopDevices } from './block/memory-loop-devices.ts';
export { memoryVolumes, type MemoryVolumes } from './memory-volumes.ts';
