export { formatAge, formatSince } from './age.ts';
export { podReadiness, podRestarts, podStatusWord } from './pod-summary.ts';
