import type { Container, Pod } from '@rxlet/kube-api';
import type { NumaHint, ResourceHints } from '@rxlet/agent-api/topology';
import { numaNodeSets } from '@rxlet/machine/topology';
import { podContainers, podUid } from '@rxlet/pod-model';
import type { MachineMemory, MemoryAmounts, MemoryBlock, MemoryTable } from './machine-memory.ts';
import { assignedMemory, hasEnded, isSameGroup, type MemoryState } from './memory-state.ts';
import { getsMemory, requestedMemory, requestedMemoryOfPod } from './requested-memory.ts';
import { reusableBytes } from './reusable-memory.ts';

/** Possible memory for a container. */
export type MemoryHint = NumaHint & { readonly numaNodes: readonly number[] };

/** Returns the NUMA nodes that could give a container its memory; `undefined` without a preference. */
export function containerMemoryHints(state: MemoryState, pod: Pod, container: Container): ResourceHints | undefined {
  const requested = getsMemory(pod) ? requestedMemory(container) : undefined;
  if (requested === undefined) return undefined;
  const held = assignedMemory(state, podUid(pod), container.name);
  if (held !== undefined) return hintsOfHeld(held, requested);
  return hasEnded(state, pod, container) ? undefined : hintsOfTypes(state, pod, container, requested);
}

/** Returns the NUMA nodes that could give all containers of a pod their memory; `undefined` without a preference. */
export function podMemoryHints(state: MemoryState, pod: Pod): ResourceHints | undefined {
  const requested = getsMemory(pod) ? requestedMemoryOfPod(pod) : undefined;
  if (requested === undefined) return undefined;
  for (const { container } of podContainers(pod, ['init', 'regular'])) {
    const held = assignedMemory(state, podUid(pod), container.name);
    if (held !== undefined) return hintsOfHeld(held, requested);
  }
  return hintsOfTypes(state, pod, undefined, requested);
}

/** Returns the same hints for each type: all memory of a container is on the same nodes. */
function hintsOfTypes(
  state: MemoryState,
  pod: Pod,
  container: Container | undefined,
  requested: MemoryAmounts,
): ResourceHints {
  const hints = memoryHints(state, pod, container, requested);
  return hints.length === 0 ? {} : Object.fromEntries(Object.keys(requested).map((type) => [type, hints]));
}

function hintsOfHeld(held: readonly MemoryBlock[], requested: MemoryAmounts): ResourceHints | undefined {
  const isRequested = held.every(({ type, sizeBytes }) => requested[type] === sizeBytes);
  if (held.length !== Object.keys(requested).length || !isRequested) return undefined;
  return Object.fromEntries(held.map(({ type, numaNodes }) => [type, [{ numaNodes, isPreferred: true }]]));
}

/**
 * Returns the sets of NUMA nodes with enough free memory of all types. A node gives memory alone, or together with always the same other nodes. Those sets are
 * preferred that have as few nodes as the request needs on an empty machine.
 */
export function memoryHints(
  state: MemoryState,
  pod: Pod,
  container: Container | undefined,
  requested: MemoryAmounts,
): MemoryHint[] {
  const { machine } = state;
  const nodes = [...machine.keys()].sort((left, right) => left - right);
  let fewest = nodes.length;
  const possible: (readonly number[])[] = [];
  for (const set of numaNodeSets(nodes)) {
    if (!hasEnough(machine, set, requested, 'allocatable')) continue;
    fewest = Math.min(fewest, set.length);
    const missing = Object.fromEntries(
      Object.entries(requested).map(([type, bytes]) => [
        type,
        bytes - reusableBytes(state, pod, container, { type, numaNodes: set }),
      ]),
    );
    if (!isPartOfGroup(machine, set) && !breaksGroups(machine, set) && hasEnough(machine, set, missing, 'free'))
      possible.push(set);
  }
  return possible.map((numaNodes) => ({ numaNodes, isPreferred: numaNodes.length === fewest }));
}

/** Reports whether nodes have enough memory of all types together. */
export function hasEnough(
  machine: MachineMemory,
  nodes: readonly number[],
  amounts: MemoryAmounts,
  field: keyof MemoryTable,
): boolean {
  return Object.entries(amounts).every(
    ([type, bytes]) => nodes.reduce((sum, node) => sum + (machine.get(node)?.tables[type]?.[field] ?? 0), 0) >= bytes,
  );
}

/** Reports whether a node alone cannot give memory, because it does so together with others. */
export function isPartOfGroup(machine: MachineMemory, nodes: readonly number[]): boolean {
  return nodes.length === 1 && (machine.get(nodes[0]!)?.group.length ?? 0) > 1;
}

/** Reports whether several nodes cannot give memory together, because one of them gives memory alone or with others. */
export function breaksGroups(machine: MachineMemory, nodes: readonly number[]): boolean {
  if (nodes.length === 1) return false;
  return nodes.some((node) => {
    const { assignments = 0, group = [] } = machine.get(node) ?? {};
    return assignments > 0 && !isSameGroup(group, nodes);
  });
}
