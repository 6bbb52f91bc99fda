export { createMemoryCgroups, type MemoryCgroups, type MemoryCgroupsOptions } from './testing/memory-cgroups.ts';
export { createMemorySlices, type MemorySlices } from './testing/memory-slices.ts';
export { createTestCgroups, type TestCgroups } from './testing/test-cgroups.ts';
