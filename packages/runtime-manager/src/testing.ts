export { createDirectImageEnsurer, imageFailure } from './testing/direct-image-ensurer.ts';
export { createMemoryFileSystem, type MemoryFileSystem } from './testing/memory-file-system.ts';
export { createMemoryLogFiles, type MemoryLogFiles } from './testing/memory-log-files.ts';
