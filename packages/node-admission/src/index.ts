export { createNodeAdmission, type NodeAdmissionPorts } from './create-node-admission.ts';
export {
  createLocalNode,
  type LocalNode,
  type LocalNodeOptions,
  type LocalNodePorts,
} from './local-node/local-node.ts';
export { nodeAdmission, type NodeAdmissionOptions } from './node-admission-module.ts';
export { createSysctlAllowlist, type SysctlAllowlist, type SysctlOptions } from './sysctls.ts';
