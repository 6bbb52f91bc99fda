export {
  type AdmissionHandler,
  type AdmissionRefusal,
  admitPod,
  refuseUnsupportedFeatures,
} from './sync-loop/admission.ts';
export type { Agent, AgentOptions, AgentPorts } from './agent.ts';
export { createAgent } from './create-agent.ts';
export { type MirrorPods, noMirrorPods } from './pod-syncer/mirror-pods.ts';
export { type NodeFacts, readNodeFacts } from './node/node-facts.ts';
export { type AgentParts, defaultParts } from './parts.ts';
export type { PodCgroupCleaner } from './housekeeping/pod-cgroup-cleaner.ts';
export { type ActiveDeadlines, createActiveDeadlines } from './pod-syncer/active-deadlines.ts';
export { createPodSyncer, type PodSyncerPorts } from './pod-syncer/pod-syncer.ts';
export type { PodChange } from './outputs/pod-view.ts';
export { readResolvConf } from './node/read-resolv-conf.ts';
export { createSyncLoop, type SyncLoop, type SyncLoopOptions, type SyncLoopPorts } from './sync-loop/sync-loop.ts';
export { createTerminationMessages, type TerminationMessages } from './pod-syncer/termination-messages.ts';
