export {
  createMemoryRecordDirectories,
  createMemoryRecordDirectory,
  type MemoryRecordDirectories,
  type MemoryRecordDirectory,
} from './records/memory-record-directory.ts';
export { createTestImages, type TestImages, type TestImagesOptions } from './test-images.ts';
