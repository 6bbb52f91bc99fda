export { formatAge, formatSince } from './age.ts';
export { podReadiness, podRestartCount, type PodRestarts, podRestarts, podStatusWord } from './pod-summary.ts';
