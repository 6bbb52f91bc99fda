export { type FsStats, nodeFsStats, type ReadFsStats } from './gc/fs-stats.ts';
export {
  createImageGarbageCollector,
  type ImageGarbageCollector,
  type ImageGcOptions,
  type ImageGcPorts,
} from './gc/image-garbage-collector.ts';
export { ImageGcError, type ImageGcErrorReason } from './gc/image-gc-error.ts';
export type { ImageGcPolicy } from './gc/image-gc-policy.ts';
export { type ImageInventory, type ImageRecord, type ListedImage, updateInventory } from './gc/image-inventory.ts';
export { removableImages, selectForSpace, selectOldImages, spaceNeed, type SpaceNeed } from './gc/select-images.ts';
