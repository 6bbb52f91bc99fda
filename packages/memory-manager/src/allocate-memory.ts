import type { Container, Pod } from '@rxlet/kube-api';
import { noAffinity, type NumaHint } from '@rxlet/agent-api/topology';
import { compareNumaNodes } from '@rxlet/machine/topology';
import { podUid } from '@rxlet/pod-model';
import { type MemoryAmounts, type MemoryBlock, reserveMemory } from './machine-memory.ts';
import { breaksGroups, hasEnough, isPartOfGroup, type MemoryHint, memoryHints } from './memory-hints.ts';
import { assignedMemory, hasEnded, type MemoryState } from './memory-state.ts';
import { getsMemory, requestedMemory } from './requested-memory.ts';
import type { StaticMemoryPolicy } from './static-policy.ts';
import { reusableBytes, shrinkInitContainers } from './reusable-memory.ts';

/** Result of an allocation. */
export interface MemoryAllocation {
  /** The state as it was in case of a failure. */
  readonly state: MemoryState;
  /** Memory of the container, ordered by type; `undefined` when it may use all. */
  readonly blocks?: readonly MemoryBlock[] | undefined;
  /** Why the pod must be rejected. */
  readonly failure?: { readonly message: string } | undefined;
}

/**
 * Allocates memory and huge pages of NUMA nodes to a container of a Guaranteed pod. Containers of a pod must be allocated in their order, init containers first:
 * later ones take over the memory of init containers that end before them. A container that has its memory keeps it.
 *
 * @param affinity NUMA nodes that the topology manager chose for the container
 */
export function allocateMemory(
  policy: StaticMemoryPolicy,
  state: MemoryState,
  pod: Pod,
  container: Container,
  affinity: NumaHint = noAffinity,
): MemoryAllocation {
  if (!getsMemory(pod)) return { state };
  const held = assignedMemory(state, podUid(pod), container.name);
  if (held !== undefined) return { state, blocks: held };
  // Its memory was released when a later container started.
  if (hasEnded(state, pod, container)) return { state };
  const requested = requestedMemory(container);
  if (requested === undefined) return failed(state, 'failed to represent quantity as int64');
  const nodes = chooseNodes(policy, state, pod, container, requested, affinity);
  if (typeof nodes === 'string') return failed(state, nodes);
  const blocks = Object.keys(requested)
    .sort()
    .map((type) => ({ type, sizeBytes: requested[type]!, numaNodes: nodes }));
  return { state: assignBlocks(state, pod, container, blocks), blocks };
}

function failed(state: MemoryState, problem: string): MemoryAllocation {
  return { state, failure: { message: `[memorymanager] ${problem}` } };
}

/** Chooses the nodes of a container: those of its affinity, more if they have too little, or the best ones without an affinity. Returns why none are possible. */
function chooseNodes(
  { repeatsFaults }: StaticMemoryPolicy,
  state: MemoryState,
  pod: Pod,
  container: Container,
  requested: MemoryAmounts,
  affinity: NumaHint,
): readonly number[] | string {
  const { machine } = state;
  let { numaNodes, isPreferred } = affinity;
  if (numaNodes === undefined) {
    const best = bestHint(memoryHints(state, pod, container, requested));
    if (best === undefined)
      return 'failed to get the default NUMA affinity, no NUMA nodes with enough memory is available';
    if (isPreferred && !best.isPreferred) return 'failed to find the default preferred hint';
    ({ numaNodes, isPreferred } = best);
  }
  const leavesGroup = !repeatsFaults && isPartOfGroup(machine, numaNodes);
  if (leavesGroup || !hasEnough(machine, numaNodes, requested, 'free')) {
    const chosen = numaNodes;
    const larger = memoryHints(state, pod, container, requested).filter((hint) =>
      chosen.every((node) => hint.numaNodes.includes(node)),
    );
    const best = bestHint(larger);
    if (best === undefined) return 'failed to find NUMA nodes to extend the current topology hint';
    if (isPreferred && !best.isPreferred) return 'failed to find the extended preferred hint';
    ({ numaNodes } = best);
  }
  if (breaksGroups(machine, numaNodes)) return 'preferred hint violates NUMA node allocation';
  return numaNodes.toSorted((left, right) => left - right);
}

/** Returns the hint that is preferred and has the fewest nodes with the lowest ids. */
function bestHint(hints: readonly MemoryHint[]): MemoryHint | undefined {
  return hints.toSorted(
    (left, right) =>
      Number(right.isPreferred) - Number(left.isPreferred) || compareNumaNodes(left.numaNodes, right.numaNodes),
  )[0];
}

function assignBlocks(state: MemoryState, pod: Pod, container: Container, blocks: readonly MemoryBlock[]): MemoryState {
  const uid = podUid(pod);
  const machine = blocks.reduce((before, block) => {
    const sizeBytes = Math.max(0, block.sizeBytes - reusableBytes(state, pod, container, block));
    return reserveMemory(before, { ...block, sizeBytes });
  }, state.machine);
  const containers = new Map(state.assignments.get(uid)).set(container.name, blocks);
  const assigned = shrinkInitContainers(new Map(state.assignments).set(uid, containers), pod, container, blocks);
  return { machine, assignments: assigned };
}
