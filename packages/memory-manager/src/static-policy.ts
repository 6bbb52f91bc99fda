import { goQuote } from '@rxlet/component-base/go';
import type { MachineTopology } from '@rxlet/machine/topology';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import { exactBytes } from './exact-bytes.ts';
import { emptyMachineMemory, isMemoryType, type MachineMemory, type MemoryAmounts } from './machine-memory.ts';
import { MemoryPolicyError } from './memory-policy-error.ts';

/** Memory of a NUMA node that is reserved for the system (an entry of `reservedMemory`). */
export interface MemoryReservation {
  readonly numaNode: number;
  /** Quantities by type of memory. */
  readonly limits: Readonly<Record<string, string>>;
}

/** Settings of a static policy. */
export interface StaticMemoryPolicySettings {
  readonly topology: MachineTopology;
  readonly reservedMemory: readonly MemoryReservation[];
  /** Resources of the node that pods cannot have: reserved for system and agent, and the hard eviction threshold. */
  readonly nodeAllocatableReservation: Readonly<Record<string, string>>;
  /**
   * Whether to repeat a fault of kubelet 1.36: an affinity to a single node of a group gives memory of that node alone, which is not counted right from then on and
   * makes a restart fail. Default: no. It is for comparisons, not for nodes.
   */
  readonly repeatsFaults?: boolean;
}

/** Rules for the memory of a machine. */
export interface StaticMemoryPolicy {
  /** Memory of the machine without containers. */
  readonly emptyMachine: MachineMemory;
  readonly repeatsFaults: boolean;
}

/**
 * Creates the static policy of a machine.
 * @throws MemoryPolicyError when the reserved memory of the NUMA nodes does not add up to that of the node
 */
export function createStaticMemoryPolicy(settings: StaticMemoryPolicySettings): StaticMemoryPolicy {
  const { topology, reservedMemory, nodeAllocatableReservation } = settings;
  checkTotals(reservedMemory, nodeAllocatableReservation);
  const reserved = new Map<number, MemoryAmounts>(topology.numaNodes.map(({ id }) => [id, {}]));
  for (const { numaNode, limits } of reservedMemory) {
    const amounts = reserved.get(numaNode);
    if (amounts === undefined)
      throw new MemoryPolicyError(
        `the reserved memory configuration references a NUMA node ${String(numaNode)} that does not exist on this machine`,
      );
    const added = Object.entries(limits).map(([type, text]) => [type, reservedBytes(type, text)] as const);
    reserved.set(numaNode, { ...amounts, ...Object.fromEntries(added) });
  }
  if ([...reserved.values()].every(({ memory = 0 }) => memory === 0))
    throw new MemoryPolicyError('[memorymanager] you should specify the system reserved memory');
  return { emptyMachine: emptyMachineMemory(topology, reserved), repeatsFaults: settings.repeatsFaults ?? false };
}

function checkTotals(
  reservedMemory: readonly MemoryReservation[],
  reservation: Readonly<Record<string, string>>,
): void {
  const totals = new Map<string, ParsedQuantity>();
  for (const { limits } of reservedMemory)
    for (const [type, text] of Object.entries(limits))
      totals.set(type, addQuantities(totals.get(type) ?? zeroQuantity, parseQuantity(text)));
  const types = new Set([...totals.keys(), ...Object.keys(reservation).filter(isMemoryType)]);
  for (const type of types) {
    const total = totals.get(type) ?? zeroQuantity;
    const wanted = parseQuantity(reservation[type] ?? '0');
    if (compareQuantities(total, wanted) !== 0)
      throw new MemoryPolicyError(
        `the total amount ${goQuote(formatQuantity(total))} of type ${goQuote(type)} is not equal to the value ${goQuote(formatQuantity(wanted))} determined by Node Allocatable feature`,
      );
  }
}

function reservedBytes(type: string, text: string): number {
  const bytes = exactBytes(text);
  if (bytes !== undefined) return bytes;
  throw new MemoryPolicyError(`reservedMemory: ${goQuote(text)} of ${type} is no whole number of bytes`);
}
