import type { Taint } from '@rxlet/kube-api';
import type { NodeSize } from '../node/node-size.ts';
import { faultsOfNodes, type NodeFault, type NodeFaultRule } from './node-faults.ts';
import { indexesOf, type Shard } from './shard.ts';

/** A fleet as its command line describes it. */
export interface FleetPlan {
  /** Number of nodes of the whole fleet. */
  readonly nodes: number;
  readonly prefix: string;
  readonly shard: Shard;
  readonly template: NodeTemplate;
  /** Values of the label `topology.kubernetes.io/zone`, in turn. */
  readonly zones: readonly string[];
  readonly address: string;
  /** Port of the API of the first node; 0: each takes a free one. */
  readonly firstPort: number;
  readonly faults: readonly NodeFaultRule[];
}

/** Properties that all nodes have in common. */
export interface NodeTemplate {
  readonly size: NodeSize;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** One node of a fleet. */
export interface NodePlan extends NodeTemplate {
  readonly name: string;
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  /** Range of the addresses of its pods, unless the control plane assigns one. */
  readonly podCidr: string;
  readonly faults: readonly NodeFault[];
}

/** Label by which the nodes of all fleets are found. */
export const FLEET_LABEL = 'rxlet.dev/fleet';

/** Largest number of nodes whose pods have addresses of their own. */
export const MAX_NODES = 16_384;

/** Returns the nodes of the plan's shard. A node is the same whatever the number of shards. */
export function planNodes({
  nodes,
  prefix,
  shard,
  template,
  zones,
  address,
  firstPort,
  faults: rules,
}: FleetPlan): readonly NodePlan[] {
  const names = Array.from({ length: nodes }, (_, index) => `${prefix}${String(index)}`);
  const faults = faultsOfNodes(rules, names);
  return indexesOf(shard, nodes).map((index) => {
    const zone = zones[index % zones.length];
    return {
      ...template,
      name: names[index]!,
      labels: {
        [FLEET_LABEL]: prefix.replace(/[^A-Za-z0-9]+$/, '') || 'fleet',
        ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }),
        ...template.labels,
      },
      address,
      port: firstPort === 0 ? 0 : firstPort + index,
      podCidr: podCidrOf(index, template.size.maxPods),
      faults: faults[index]!,
    };
  });
}

/** Returns ranges of 10.0.0.0/8 that do not overlap. Those of nodes with many pods are larger. */
function podCidrOf(index: number, maxPods: number): string {
  // Network, gateway and broadcast are not assigned, and a successor of a pod may overlap with it.
  const bits = Math.max(10, Math.ceil(Math.log2(maxPods * 2 + 3)));
  const base = (index * 2 ** bits) % 2 ** 24;
  return `10.${String(base >> 16)}.${String((base >> 8) & 255)}.${String(base & 255)}/${String(32 - bits)}`;
}
