export { createMemoryManifestFolder, type MemoryManifestFolder } from './memory-manifest-folder.ts';
export { testManifest } from './test-manifest.ts';
