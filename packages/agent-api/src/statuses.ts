export type { MirrorPods } from './mirror-pods.ts';
export type {
  PodEvictor,
  PodFailure,
  PodStatusContributor,
  PodStatusUpdate,
  StatusRestorer,
  StatusSink,
} from './pod-status.ts';
export { mirrorPods, podEvictors, podStatusContributors, statusRestorers, statusSinks } from './core-collections.ts';
