export type { CheckedPod } from './pod-source.ts';
export { problemKey, problemPod } from './pod-source-problem.ts';
export { sourceParts } from './source-parts.ts';
export { podSources } from './core-collections.ts';
export type { PodSource, PodSourceChange, PodSourceProblem } from './pod-source.ts';
