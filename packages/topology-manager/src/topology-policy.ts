import { goQuote, parseGoBoolean, parseInt64 } from '@rxlet/component-base/go';
import type { NumaNode } from '@rxlet/machine/topology';

/** The settings are invalid, or do not suit the machine. The agent must not start. */
export class TopologyPolicyError extends Error {
  override readonly name = 'TopologyPolicyError';
}

const policyNames = ['none', 'best-effort', 'restricted', 'single-numa-node'] as const;
const scopes = ['container', 'pod'] as const;

/** Name of a policy (field `topologyManagerPolicy`). */
export type TopologyPolicyName = (typeof policyNames)[number];

/** Settings of a topology policy. */
export interface TopologyPolicySettings {
  readonly policy: string;
  /** Unit that is aligned as a whole: each `container`, or all containers of a `pod` (field `topologyManagerScope`). */
  readonly scope: string;
  /** Field `topologyManagerPolicyOptions`. */
  readonly options?: Readonly<Record<string, string>>;
  readonly numaNodes: readonly Pick<NumaNode, 'id' | 'distances'>[];
}

/** How resources are aligned on a machine. */
export interface TopologyPolicy {
  readonly name: TopologyPolicyName;
  readonly scope: (typeof scopes)[number];
  /** Ids of all NUMA nodes, in ascending order. */
  readonly numaNodes: readonly number[];
  /** Distances of the nodes to each other, by their ids, with the option `prefer-closest-numa-nodes`. */
  readonly distances?: ReadonlyMap<number, ReadonlyMap<number, number>> | undefined;
}

/** Largest number of NUMA nodes by default: the hints double with each node. */
const DEFAULT_MAX_NUMA_NODES = 8;

/**
 * Creates a topology policy. The policy `none` accepts any scope and options, which it does not use.
 * @throws TopologyPolicyError
 */
export function createTopologyPolicy({
  policy,
  scope,
  options = {},
  numaNodes,
}: TopologyPolicySettings): TopologyPolicy {
  const nodes = numaNodes.toSorted((left, right) => left.id - right.id);
  const ids = nodes.map(({ id }) => id);
  if (policy === 'none') return { name: policy, scope: 'container', numaNodes: ids };
  const { prefersClosest, maxNumaNodes } = parseOptions(options);
  const distances = prefersClosest ? distancesOf(nodes) : undefined;
  if (nodes.length > maxNumaNodes)
    throw new TopologyPolicyError(
      `topology manager policy ${goQuote(policy)} is unsupported on machines with more than ${String(maxNumaNodes)} NUMA Nodes: the machine has ${String(nodes.length)}; the option max-allowable-numa-nodes raises the limit`,
    );
  const name = policyNames.find((known) => known === policy);
  if (name === undefined) throw new TopologyPolicyError(`unknown topology manager policy: ${goQuote(policy)}`);
  const knownScope = scopes.find((known) => known === scope);
  if (knownScope === undefined) throw new TopologyPolicyError(`unknown topology manager scope: ${goQuote(scope)}`);
  return { name, scope: knownScope, numaNodes: ids, distances };
}

function parseOptions(options: Readonly<Record<string, string>>): {
  readonly prefersClosest: boolean;
  readonly maxNumaNodes: number;
} {
  let prefersClosest = false;
  let maxNumaNodes = DEFAULT_MAX_NUMA_NODES;
  for (const [name, text] of Object.entries(options)) {
    if (name === 'prefer-closest-numa-nodes') {
      const value = parseGoBoolean(text);
      if (value === undefined)
        throw new TopologyPolicyError(
          `bad value for option ${goQuote(name)}: ${goQuote(text)} is neither true nor false`,
        );
      prefersClosest = value;
    } else if (name === 'max-allowable-numa-nodes') {
      const value = parseInt64(text);
      if (value === undefined)
        throw new TopologyPolicyError(`unable to convert policy option to integer ${goQuote(name)}: ${goQuote(text)}`);
      if (value < DEFAULT_MAX_NUMA_NODES)
        throw new TopologyPolicyError(
          `the minimum value of ${goQuote(name)} should not be less than ${String(DEFAULT_MAX_NUMA_NODES)}`,
        );
      maxNumaNodes = Number(value);
    } else {
      throw new TopologyPolicyError(`unknown Topology Manager Policy option: ${goQuote(name)}`);
    }
  }
  return { prefersClosest, maxNumaNodes };
}

function distancesOf(
  nodes: readonly Pick<NumaNode, 'id' | 'distances'>[],
): ReadonlyMap<number, ReadonlyMap<number, number>> {
  return new Map(
    nodes.map(({ id, distances }) => {
      if (distances === undefined)
        throw new TopologyPolicyError('cannot discover NUMA topology: the kernel reports no distances of NUMA nodes');
      return [id, new Map(nodes.map((other, index) => [other.id, distances[index] ?? 0]))];
    }),
  );
}
