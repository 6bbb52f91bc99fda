export { type AdmissionHandler, type AdmissionRefusal, admitPod, refuseUnsupportedFeatures } from './admission.ts';
export { type Agent, type AgentOptions, type AgentPorts, createAgent } from './create-agent.ts';
export { type NodeFacts, readNodeFacts } from './node-facts.ts';
export { type AgentParts, defaultParts } from './parts.ts';
export { createPodSyncer, type PodSyncerPorts } from './pod-syncer.ts';
export type { PodChange } from './pod-view.ts';
export { readResolvConf } from './read-resolv-conf.ts';
export { createSyncLoop, type SyncLoop, type SyncLoopOptions, type SyncLoopPorts } from './sync-loop.ts';
