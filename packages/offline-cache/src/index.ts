export { offlineCache, type OfflineCacheOptions } from './offline-cache-module.ts';
