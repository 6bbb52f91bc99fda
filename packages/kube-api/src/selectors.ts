export { SelectorError } from './selectors/selector-error.ts';
export { parseLabelSelector } from './selectors/label-selector.ts';
export { type FieldRequirement, matchesFields, parseFieldSelector } from './selectors/field-selector.ts';
