export type { CheckedPod } from './pod-source.ts';
export { problemKey, problemPod } from './pod-source-problem.ts';
export { sourceParts } from './source-parts.ts';
