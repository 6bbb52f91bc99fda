export {
  type FeatureGates,
  type KubeletConfiguration,
  KubeletConfigurationError,
  type KubeletField,
} from '@rxlet/component-base/kubelet-configuration';
export type {
  ConfigurationOfModule,
  FlagHelp,
  MachineFacts,
  ModuleConfiguration,
  ModuleOfAgents,
  ModuleOfClusterNodes,
  NodeConfiguration,
} from './configuration/module-configuration.ts';
export {
  labelsOfNode,
  type ReservedResources,
  reservedResourcesOfNode,
  reservedThresholdsOfNode,
  taintsOfNode,
} from './configuration/node-settings.ts';
export { type Reconfiguration, reconfiguration, reconfigurations } from './configuration/reconfiguration.ts';
export {
  numberSetting,
  type Setting,
  type SettingLookup,
  switchSetting,
  textSetting,
} from './configuration/setting.ts';
