export { supportedPodFields } from './core-collections.ts';
export { type ConditionalPodField, containerFields, type SupportedPodField } from './supported-pod-field.ts';
