import { type ServiceKey, serviceKey } from './service-key.ts';

/** Frees disk space of images. Without a provider, an eviction manager evicts pods at once. */
export const imageReclaimer: ServiceKey<ImageReclaimer> = serviceKey('image reclaimer');

/** Frees disk space of images on demand (kubelet: the eviction manager's ImageGC). */
export interface ImageReclaimer {
  /** Removes all unused images that are older than the minimum age. Rejects when images cannot be listed or removed. */
  deleteUnusedImages(): Promise<void>;
}
