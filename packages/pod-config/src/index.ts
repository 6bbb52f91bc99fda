export { diffPods, type PodDiff } from './diff-pods.ts';
export { createManualSource, type ManualSource, type ManualSourceOptions } from './manual-source.ts';
export {
  createPodConfig,
  type PodConfig,
  type PodConfigPorts,
  type PodOperation,
  type PodUpdate,
} from './pod-config.ts';
export { podsFrom } from './pods-from-module.ts';
