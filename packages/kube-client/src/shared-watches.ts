export { createSharedWatches, type SharedWatches, type SharedWatchesPorts } from './shared/shared-watches.ts';
