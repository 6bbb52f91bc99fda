export { createDirectImageEnsurer, imageFailure } from './testing/direct-image-ensurer.ts';
export { createMemoryFileSystem, type MemoryFileSystem } from './testing/memory-file-system.ts';
export { createMemoryLogDirectories, type MemoryLogDirectories } from './testing/memory-log-directories.ts';
export { createMemoryLogFiles, type MemoryLogFiles } from './testing/memory-log-files.ts';
export { withCallTimeout } from './testing/with-call-timeout.ts';
