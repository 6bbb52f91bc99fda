import type { Container, Pod } from '@rxlet/kube-api';
import type { NumaHint, ResourceHints } from '@rxlet/agent-api/topology';
import { type CpuSet, numaNodeSets, sortedCpus } from '@rxlet/machine/topology';
import { podContainers, podUid } from '@rxlet/pod-model';
import { reusableCpus } from './allocate-cpus.ts';
import { cpusOf, groupCpus, idsOf } from './cpu-layout.ts';
import { assignedCpus, type CpuState } from './cpu-state.ts';
import { requestedCpus, requestedCpusOfPod } from './requested-cpus.ts';
import type { StaticCpuPolicy } from './static-policy.ts';

const none: CpuSet = new Set();

/** Returns the NUMA nodes that could give a container its CPUs; `undefined` when it gets none for itself. */
export function containerCpuHints(
  policy: StaticCpuPolicy,
  state: CpuState,
  pod: Pod,
  container: Container,
): ResourceHints | undefined {
  const count = requestedCpus(pod, container);
  if (count === 0) return undefined;
  const held = assignedCpus(state, podUid(pod), container.name);
  if (held === undefined) return { cpu: hints(policy, availableCpus(policy, state), reusableCpus(state, pod), count) };
  // The request of a container that has its CPUs cannot change.
  return { cpu: held.size === count ? hints(policy, held, none, count) : [] };
}

/** Returns the NUMA nodes that could give all containers of a pod their CPUs; `undefined` when they get none for themselves. */
export function podCpuHints(policy: StaticCpuPolicy, state: CpuState, pod: Pod): ResourceHints | undefined {
  const count = requestedCpusOfPod(pod);
  if (count === 0) return undefined;
  let held = none;
  for (const { container } of podContainers(pod, ['init', 'regular'])) {
    const cpus = assignedCpus(state, podUid(pod), container.name);
    if (cpus === undefined) continue;
    if (cpus.size !== requestedCpus(pod, container)) return { cpu: [] };
    held = held.union(cpus);
  }
  if (held.size === count) return { cpu: hints(policy, held, none, count) };
  return { cpu: hints(policy, availableCpus(policy, state), reusableCpus(state, pod).union(held), count) };
}

/** Returns the CPUs that a container could get for itself. */
function availableCpus({ reserved }: StaticCpuPolicy, { shared }: CpuState): CpuSet {
  return shared.difference(reserved);
}

/**
 * Returns the sets of NUMA nodes that have enough CPUs and contain all reusable ones. Those are preferred that have as few nodes as the request needs on an empty
 * machine.
 */
function hints(policy: StaticCpuPolicy, available: CpuSet, reusable: CpuSet, count: number): NumaHint[] {
  const { layout, options } = policy;
  const nodes = sortedCpus(layout.groups.numaNode.keys());
  const free = groupCpus(layout.places, available, 'numaNode');
  const reusableNodes = idsOf(layout, reusable, 'numaNode');
  let fewest = nodes.length;
  const possible: (readonly number[])[] = [];
  for (const set of numaNodeSets(nodes)) {
    const sum = (groups: ReadonlyMap<number, CpuSet>): number =>
      set.reduce((total, node) => total + (groups.get(node)?.size ?? 0), 0);
    if (sum(layout.groups.numaNode) >= count) fewest = Math.min(fewest, set.length);
    if (reusableNodes.isSubsetOf(new Set(set)) && reusable.size + sum(free) >= count) possible.push(set);
  }
  // The policy allows the alignment only on machines with as many nodes as sockets, or more.
  const nodesOfSocket = Math.floor(nodes.length / layout.groups.socket.size);
  const socketsOf = (set: readonly number[]): number => idsOf(layout, cpusOf(layout, 'numaNode', set), 'socket').size;
  const fillsSockets = (set: readonly number[]): boolean =>
    options.alignBySocket && socketsOf(set) === Math.ceil(fewest / nodesOfSocket);
  return possible.map((numaNodes) => ({
    numaNodes,
    isPreferred: numaNodes.length === fewest || fillsSockets(numaNodes),
  }));
}
