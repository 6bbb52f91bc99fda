export { createExplainer, type Explainer, type ExplainerPorts } from './explain/explain-pods.ts';
export { explainLife, type ExplainContext } from './explain/explain-life.ts';
export type {
  Explanation,
  LastError,
  NodeExplanation,
  NodeProblem,
  PodSituation,
  Step,
  Wait,
} from './explain/explanation.ts';
export { journal, type JournalOptions } from './journal-module.ts';
export { createJournalStore, type JournalStore, type JournalStoreLimits } from './store/journal-store.ts';
