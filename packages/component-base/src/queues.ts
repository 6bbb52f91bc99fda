export { type BoundedQueue, type BoundedQueueOptions, createBoundedQueue } from './bounded-queue.ts';
