export type { KubeletApiChoices } from './presets/kubelet/kubelet-api-options.ts';
export { fromKubeletConfiguration, type KubeletPreset } from './presets/kubelet/from-kubelet-configuration.ts';
export { type KubeletNode, readKubeletNode } from './presets/kubelet/kubelet-node.ts';
export { type ClusterOptions, type ClusterProjections, node } from './presets/node.ts';
export { standalone, type StandaloneOptions } from './presets/standalone.ts';
