export { admitPod, type TopologyAdmission } from './admit-pod.ts';
export { type MergedHint, mergeHints } from './merge-hints.ts';
export {
  createTopologyPolicy,
  type TopologyPolicy,
  TopologyPolicyError,
  type TopologyPolicyName,
  type TopologyPolicySettings,
} from './topology-policy.ts';
export { topologyManager, type TopologyManagerOptions } from './topology-manager-module.ts';
