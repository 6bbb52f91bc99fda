export { initialNode } from './initial-node.ts';
export { NodeIpError, nodeIpProblem, parseNodeIps } from './node-ips.ts';
export { nodeStatus, type NodeStatusOptions } from './node-status-module.ts';
export type {
  DeviceResources,
  HostAddresses,
  NodeMachine,
  NodeSettings,
  NodeStatusInputs,
  RuntimeInfo,
} from './node-status-inputs.ts';
export { nodeView, type NodeViewOptions } from './node-view-module.ts';
export { podCidr, type PodCidrOptions } from './pod-cidr-module.ts';
export { reconcileNode, type ReconcileNodeOptions } from './reconcile-node.ts';
export { type ComputedNode, type NodeEvent, nodeStatusEvent, setNodeStatus } from './set-node-status.ts';
export { machineCapacity } from './setters/node-resources.ts';
export { isReportDue, type ReportSchedule, type UpdatedNode, updateNode } from './update-node.ts';
