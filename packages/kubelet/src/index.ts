export type { ModuleChoices } from './assemble.ts';
export {
  describeMissingEffects,
  FIELDS_IN_EFFECT,
  FLAG_HELP,
  flagOfSetting,
  FLAGS_IN_EFFECT,
  GATES_IN_EFFECT,
  isReloadable,
  MODULE_SETTINGS,
  modulesOf,
  REASONS_WITHOUT_EFFECT,
} from './configuration/effects.ts';
export {
  type ConfiguredModules,
  fromKubeletConfiguration,
  type KubeletPreset,
} from './configuration/from-kubelet-configuration.ts';
export { type KubeletNode, readKubeletNode } from './configuration/kubelet-node.ts';
export { planReload, type ReloadPlan } from './configuration/plan-reload.ts';
export { type ParsedSettings, parseSettings } from './configuration/parse-settings.ts';
export { type NodeFacts, readNodeFacts } from './configuration/node-facts.ts';
export { node, standalone } from './presets.ts';
