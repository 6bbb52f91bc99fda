import type { MachineTopology } from '@rxlet/machine/topology';
import { formatQuantity, makeQuantity } from '@rxlet/pod-model/quantity';
import { MemoryPolicyError } from './memory-policy-error.ts';

/** Memory of one type on a NUMA node, in bytes. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  /** Memory that containers can have. */
  readonly allocatable: number;
  /** Memory that containers have. */
  readonly reserved: number;
  readonly free: number;
}

/** Memory of a NUMA node. */
export interface NumaMemory {
  /** Number of blocks of memory that containers have on this node. */
  readonly assignments: number;
  /** Nodes that provide memory together with this one, itself included, in ascending order. */
  readonly group: readonly number[];
  /** By type: `memory`, `hugepages-2Mi`. */
  readonly tables: Readonly<Record<string, MemoryTable>>;
}

/** Memory of all NUMA nodes of a machine by their ids. */
export type MachineMemory = ReadonlyMap<number, NumaMemory>;

/** Memory of a container: all of one type. */
export interface MemoryBlock {
  /** `memory`, or huge pages such as `hugepages-2Mi`. */
  readonly type: string;
  readonly sizeBytes: number;
  /** Nodes of the memory, in ascending order. */
  readonly numaNodes: readonly number[];
}

/** Amounts in bytes by type of memory. */
export type MemoryAmounts = Readonly<Record<string, number>>;

/**
 * Returns the memory of a machine without containers.
 * @throws MemoryPolicyError when more is reserved than a node has
 */
export function emptyMachineMemory(
  { numaNodes }: MachineTopology,
  reserved: ReadonlyMap<number, MemoryAmounts>,
): MachineMemory {
  return new Map(
    numaNodes.map(({ id, memoryBytes, hugePages }) => {
      const table = (type: string, total: number, usable: number): MemoryTable => {
        const systemReserved = reserved.get(id)?.[type] ?? 0;
        const allocatable = usable - systemReserved;
        if (allocatable < 0)
          throw new MemoryPolicyError(
            `reservedMemory: NUMA node ${String(id)} has ${String(usable)} bytes of ${type}, less than the reserved ${String(systemReserved)}`,
          );
        return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
      };
      const pages = hugePages.map(({ sizeBytes, count }) => [hugePagesType(sizeBytes), sizeBytes * count] as const);
      const inPages = pages.reduce((sum, [, bytes]) => sum + bytes, 0);
      const tables = {
        ...Object.fromEntries(pages.map(([type, bytes]) => [type, table(type, bytes, bytes)])),
        memory: table('memory', memoryBytes, memoryBytes - inPages),
      };
      return [id, { assignments: 0, group: [id], tables }];
    }),
  );
}

/** Assigns memory of a group of nodes: as much as possible of each, in ascending order. */
export function reserveMemory(machine: MachineMemory, { type, sizeBytes, numaNodes }: MemoryBlock): MachineMemory {
  const after = new Map(machine);
  let left = sizeBytes;
  for (const node of numaNodes) {
    const memory = after.get(node);
    if (memory === undefined) continue;
    const bytes = Math.min(left, memory.tables[type]?.free ?? 0);
    left -= bytes;
    const tables = moveBytes(memory.tables, type, bytes);
    after.set(node, { assignments: memory.assignments + 1, group: numaNodes, tables });
  }
  return after;
}

/** Returns memory to its nodes. Nodes without memory of containers leave their group. */
export function releaseMemory(machine: MachineMemory, { type, sizeBytes, numaNodes }: MemoryBlock): MachineMemory {
  const after = new Map(machine);
  let left = sizeBytes;
  for (const node of numaNodes) {
    const memory = after.get(node);
    if (memory === undefined) continue;
    const bytes = Math.min(left, memory.tables[type]?.reserved ?? 0);
    left -= bytes;
    const assignments = memory.assignments - 1;
    const group = assignments === 0 ? [node] : memory.group;
    after.set(node, { assignments, group, tables: moveBytes(memory.tables, type, -bytes) });
  }
  return after;
}

/** Makes free bytes reserved ones; the other way round for a negative number. */
function moveBytes(tables: NumaMemory['tables'], type: string, bytes: number): NumaMemory['tables'] {
  const table = tables[type];
  if (table === undefined) return tables;
  return { ...tables, [type]: { ...table, reserved: table.reserved + bytes, free: table.free - bytes } };
}

/** Reports whether a resource is memory of a container: `memory`, or huge pages. */
export function isMemoryType(resource: string): boolean {
  return resource === 'memory' || resource.startsWith('hugepages-');
}

function hugePagesType(sizeBytes: number): string {
  return `hugepages-${formatQuantity(makeQuantity(sizeBytes, 0, 'binarySI'))}`;
}
