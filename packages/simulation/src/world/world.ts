import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { createTestMachine } from '@rxlet/machine/testing';
import { createTestCluster, createTestNode, type TestCluster, type TestNode } from '@rxlet/testing';
import { createHistory, type WorldHistory } from '../history/history.ts';
import { recordRequests } from '../history/record-requests.ts';
import { MACHINE } from '../parts/resize-part.ts';
import type { Plan } from '../workload/plan.ts';
import type { Assembly } from './assembly.ts';
import { writeObject } from './run-api-step.ts';
import { createSimulatedNode, type SimulatedNode } from './simulated-node.ts';

/** Nodes on one clock, and the API server that they share. */
export interface World extends AsyncDisposable {
  readonly plan: Plan;
  readonly clock: VirtualClock;
  /** The API server, unless the agents are standalone. */
  readonly kube: TestCluster['kube'] | undefined;
  readonly history: WorldHistory;
  readonly nodes: readonly SimulatedNode[];
  /** Takes over what the API server and the static pods demand now, on all nodes. */
  publish(graceSeconds?: number): void;
}

/** Name of the only node. */
const ONLY_NODE = 'node1';

/** Creates the world of a plan. No agent runs yet. */
export function createWorld(plan: Plan, assembly: Assembly = {}): World {
  const { workload, latencyMs, apiLatencyMs, hasStreamingLists } = plan.world;
  const { nodeNames: [firstName = ONLY_NODE, ...otherNames] = [] } = plan;
  const machine = workload === 'extended' ? createTestMachine({ facts: MACHINE }) : undefined;
  // Nothing in this world does real I/O.
  const clock = createVirtualClock({ turnsEventLoop: false });
  const options = { latencyMs, seed: plan.seed, machine, clock, name: firstName };
  const first =
    workload === 'standard'
      ? undefined
      : createTestCluster({ ...options, kube: { latencyMs: apiLatencyMs, hasStreamingLists } });
  const clusters = otherNames.map((name, index) => first?.addNode({ ...options, name, seed: plan.seed + index + 1 }));
  const node = first?.node ?? createTestNode(options);
  const history = createHistory(clock, plan.nodeNames);
  const create = (one: TestNode, cluster: TestCluster | undefined): SimulatedNode =>
    createSimulatedNode(plan, assembly, { node: one, cluster, history: history.of(one.name) });
  const nodes = [
    create(node, first),
    ...clusters.flatMap((cluster) => (cluster === undefined ? [] : create(cluster.node, cluster))),
  ];
  if (first !== undefined) prepareCluster(first, nodes);
  for (const one of nodes) assembly.prepare?.(one.node, one.cluster);

  return {
    plan,
    clock,
    kube: first?.kube,
    history,
    nodes,
    publish(graceSeconds) {
      for (const one of nodes) one.publish(graceSeconds);
    },
    async [Symbol.asyncDispose]() {
      for (const one of nodes.toReversed()) await one[Symbol.asyncDispose]();
    },
  };
}

/** Creates the objects of the cluster, and records the requests of its agents. */
function prepareCluster(cluster: TestCluster, nodes: readonly SimulatedNode[]): void {
  const { kube } = cluster;
  kube.objects.create(
    { group: '', plural: 'serviceaccounts' },
    { metadata: { name: 'default', namespace: 'default' } },
  );
  for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(kube, kind, 0);
  recordRequests(kube, nodes);
}
