export { type JournalSpan, type Life, MAX_LIFE_BYTES } from './model/life.ts';
export { beginLife, type RecordedLife, restoreLife } from './model/recorded-life.ts';
export type {
  Explanation,
  LastError,
  NodeExplanation,
  NodeProblem,
  PodSituation,
  Step,
  Wait,
} from './explain/explanation.ts';
export { formatDuration } from './explain/format.ts';
