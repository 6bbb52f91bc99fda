export {
  type CheckedPod,
  problemKey,
  problemPod,
  type PodSource,
  type PodSourceChange,
  type PodSourceProblem,
} from './pod-source.ts';
export { sourceParts } from './source-parts.ts';
export { podSources } from './core-collections.ts';
