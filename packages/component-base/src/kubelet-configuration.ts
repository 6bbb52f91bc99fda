export {
  type ConfigurationProblem,
  type ConfigurationStage,
  KubeletConfigurationError,
} from './kubelet-configuration/configuration-error.ts';
export type { FeatureGates } from './kubelet-configuration/kubelet-configuration.ts';
export type { KubeletField } from './kubelet-configuration/field-path.ts';
export type * from './kubelet-configuration/kubelet-configuration.ts';
