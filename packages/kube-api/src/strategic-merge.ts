export { applyStrategicMerge, StrategicMergeError } from './strategic-merge/apply-strategic-merge.ts';
export { isNothing, isObject, type JsonObject, sameValue } from './strategic-merge/json-value.ts';
export { strategicDiff } from './strategic-merge/strategic-diff.ts';
