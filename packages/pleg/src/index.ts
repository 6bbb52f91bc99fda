export { containerEventHints } from './container-event-hints.ts';
export { type ContainerHint, type HintSource, type HintStream, HintsUnsupported } from './container-hints.ts';
export { createPleg, type Pleg, type PlegOptions, type PlegPorts } from './create-pleg.ts';
export {
  computePodLifecycleEvents,
  type ContainerEvent,
  type PodLifecycleEvent,
  type PodSyncEvent,
} from './pod-lifecycle-event.ts';
export {
  createPodStatusCache,
  type PodStatusCache,
  type PodStatusCacheOptions,
  type ReadMark,
  type WritablePodStatusCache,
} from './pod-status-cache.ts';
