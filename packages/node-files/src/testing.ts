export { type FilesUnderTest, nodeFilesContract } from './node-files-contract.ts';
export { createMemoryFiles, type MemoryFiles, type MemoryFilesOptions } from './memory/memory-files.ts';
