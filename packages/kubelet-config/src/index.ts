export {
  type ConfigurationProblem,
  type ConfigurationStage,
  type FeatureGates,
  type KubeletConfiguration,
  KubeletConfigurationError,
} from '@rxlet/component-base/kubelet-configuration';
export { changedFields, differentFields } from './changed-fields.ts';
export { encodeConfiguration } from './encode-configuration.ts';
export { FEATURE_GATES, type FeatureGateSpec, type FeatureStage } from './feature-gates/feature-gate-table.ts';
export {
  type FeatureGateValues,
  type ResolvedFeatureGates,
  resolveFeatureGates,
} from './feature-gates/feature-gates.ts';
export {
  type ConfigurationFile,
  type ConfigurationSources,
  loadConfiguration,
  type LoadedConfiguration,
} from './load-configuration.ts';
export { FLAGS, type FlagSpec } from './flags/flag-table.ts';
export { type ParsedFlags, parseFlags } from './flags/parse-flags.ts';
export { readConfiguration, type ReadConfigurationOptions } from './read-configuration.ts';
export { allFieldPaths } from './schema/field-paths.ts';
export { type StartProblem, findStartProblems } from './start-problems.ts';
