export type { KubeletApiChoices } from './configuration/kubelet-api-options.ts';
export { fromKubeletConfiguration, type KubeletPreset } from './configuration/from-kubelet-configuration.ts';
export { type KubeletNode, readKubeletNode } from './configuration/kubelet-node.ts';
export { type ClusterOptions, type ClusterProjections, node } from './node.ts';
export { standalone, type StandaloneOptions } from './standalone.ts';
export { type NodeFacts, readNodeFacts } from './configuration/node-facts.ts';
