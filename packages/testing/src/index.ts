export { manifestPod } from '@rxlet/pod-model/testing';
export { type AgentLife, createAgentLife, type KillPlace } from './agent-life.ts';
export { killableFiles, killablePort, killableTransport } from './killable-port.ts';
export { createMeasuredNode, type MeasuredNode } from './measured-node.ts';
export { containerFullName, type RecordedStart, recordStarts } from './recorded-starts.ts';
export { contributing, testModules } from './test-modules.ts';
export {
  type ClusterAgentOptions,
  createTestCluster,
  type FurtherNodeOptions,
  type TestCluster,
  type TestClusterOptions,
} from './test-cluster.ts';
export { createTestNode, type TestAgentOptions, type TestNode, type TestNodeOptions } from './test-node.ts';
