import type { Container, Pod } from '@rxlet/kube-api';
import { podContainers, podUid } from '@rxlet/pod-model';
import { endingBefore } from './init-containers.ts';
import { type MachineMemory, type MemoryBlock, releaseMemory, reserveMemory } from './machine-memory.ts';
import { MemoryPolicyError } from './memory-policy-error.ts';
import type { StaticMemoryPolicy } from './static-policy.ts';

/** Memory of containers, by UID of the pod and name of the container. */
export type MemoryAssignments = ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>;

/** Assignment of the memory of a machine: an immutable value. */
export interface MemoryState {
  readonly machine: MachineMemory;
  readonly assignments: MemoryAssignments;
}

/** Content of the state file. */
export interface MemoryStateFile extends MemoryState {
  /** `None` or `Static`. */
  readonly policyName: string;
}

/**
 * Returns the state in which a static policy starts: the stored one if it fits the machine, or one without assignments.
 * @throws MemoryPolicyError when the stored state contradicts the machine or the reserved memory
 */
export function startMemoryState({ emptyMachine }: StaticMemoryPolicy, stored?: MemoryState): MemoryState {
  if (stored === undefined || (stored.machine.size === 0 && stored.assignments.size === 0))
    return { machine: emptyMachine, assignments: new Map() };
  const { machine, assignments } = stored;
  if (machine.size === 0)
    throw new MemoryPolicyError('[memorymanager] machine state can not be empty when it has memory assignments');
  let expected = emptyMachine;
  for (const [uid, containers] of assignments) {
    for (const [container, blocks] of containers) {
      for (const block of blocks) {
        checkBlock(emptyMachine, block, `(pod: ${uid}, container: ${container})`);
        expected = reserveMemory(expected, block);
      }
    }
  }
  const difference = firstDifference(machine, expected);
  if (difference === undefined) return stored;
  throw new MemoryPolicyError(
    `[memorymanager] the expected machine state is different from the real one (${difference})`,
  );
}

function checkBlock(machine: MachineMemory, { numaNodes, type }: MemoryBlock, container: string): void {
  const nodes = numaNodes.map((node) => machine.get(node));
  if (nodes.includes(undefined))
    throw new MemoryPolicyError(`[memorymanager] ${container} the memory assignment uses the NUMA that does not exist`);
  if (nodes.some((node) => node?.tables[type] === undefined))
    throw new MemoryPolicyError(
      `[memorymanager] ${container} the memory assignment uses memory resource that does not exist`,
    );
}

/** Describes what differs between the memory of machines. The nodes of a group count together: how they share their memory depends on the order of allocations. */
function firstDifference(found: MachineMemory, expected: MachineMemory): string | undefined {
  if (found.size !== expected.size) return 'number of NUMA nodes';
  for (const [id, memory] of found) {
    const other = expected.get(id);
    const node = `NUMA node ${String(id)}`;
    if (other === undefined) return node;
    if (memory.assignments !== other.assignments) return `${node}, number of assignments`;
    if (!isSameGroup(memory.group, other.group)) return `${node}, group`;
    if (Object.keys(memory.tables).length !== Object.keys(other.tables).length) return `${node}, types of memory`;
    for (const [type, table] of Object.entries(memory.tables)) {
      const otherTable = other.tables[type];
      if (otherTable === undefined) return `${node}, ${type}`;
      for (const field of ['total', 'systemReserved', 'allocatable'] as const)
        if (table[field] !== otherTable[field]) return `${node}, ${type}, ${field}`;
      for (const field of ['free', 'reserved'] as const)
        if (sumOf(found, memory.group, type, field) !== sumOf(expected, memory.group, type, field))
          return `${node}, ${type}, ${field}`;
    }
  }
  return undefined;
}

function sumOf(machine: MachineMemory, nodes: readonly number[], type: string, field: 'free' | 'reserved'): number {
  return nodes.reduce((sum, node) => sum + (machine.get(node)?.tables[type]?.[field] ?? 0), 0);
}

/** Reports whether groups have the same nodes. */
export function isSameGroup(left: readonly number[], right: readonly number[]): boolean {
  const nodes = new Set(right);
  return left.length === right.length && left.every((node) => nodes.has(node));
}

/** Returns the memory of a container; `undefined` when it has none of its own. */
export function assignedMemory(
  { assignments }: MemoryState,
  podUid: string,
  container: string,
): readonly MemoryBlock[] | undefined {
  return assignments.get(podUid)?.get(container);
}

/** Returns the NUMA nodes that a container must get its memory from, in ascending order; `undefined` when it may use all. */
export function containerMemoryNodes(
  state: MemoryState,
  podUid: string,
  container: string,
): readonly number[] | undefined {
  const nodes = new Set((assignedMemory(state, podUid, container) ?? []).flatMap(({ numaNodes }) => numaNodes));
  return nodes.size === 0 ? undefined : [...nodes].sort((left, right) => left - right);
}

/** Returns the memory of a container to its nodes. */
export function removeContainerMemory(state: MemoryState, podUid: string, container: string): MemoryState {
  const blocks = assignedMemory(state, podUid, container);
  if (blocks === undefined) return state;
  const containers = new Map(state.assignments.get(podUid));
  containers.delete(container);
  const assignments = new Map(state.assignments);
  if (containers.size > 0) assignments.set(podUid, containers);
  else assignments.delete(podUid);
  return { ...state, machine: blocks.reduce(releaseMemory, state.machine), assignments };
}

/** Returns the memory of all containers that are in none of these pods to its nodes. */
export function retainMemory(state: MemoryState, activePods: readonly Pod[]): MemoryState {
  const active = new Map(
    activePods.map((pod) => [
      podUid(pod),
      new Set(podContainers(pod, ['init', 'regular']).map(({ container }) => container.name)),
    ]),
  );
  let retained = state;
  for (const [uid, containers] of state.assignments)
    for (const container of containers.keys())
      if (active.get(uid)?.has(container) !== true) retained = removeContainerMemory(retained, uid, container);
  return retained;
}

/** Returns the memory of the init containers that ended before a container started. */
export function releaseEndedInitContainers(state: MemoryState, pod: Pod, started: Container): MemoryState {
  return endingBefore(pod, started).reduce(
    (released, { name }) => removeContainerMemory(released, podUid(pod), name),
    state,
  );
}

/** Reports whether an init container has ended, because a container that starts after it has its memory. */
export function hasEnded(state: MemoryState, pod: Pod, { name }: Container): boolean {
  return podContainers(pod, ['init', 'regular']).some(
    ({ container }) =>
      assignedMemory(state, podUid(pod), container.name) !== undefined &&
      endingBefore(pod, container).some((before) => before.name === name),
  );
}
