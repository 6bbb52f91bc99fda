export { labelKeyProblems, isLabelValue, isQualifiedName } from './label-syntax.ts';
export { labelValue, matchesNodeSelector } from './node-selector.ts';
export { toleratesTaint } from './tolerations.ts';
