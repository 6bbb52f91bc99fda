import type { MemoryBlock, MemoryTable, NumaMemory } from './machine-memory.ts';
import type { MemoryStateFile } from './memory-state.ts';

/** Returns the text that Go prints for the content of a state file, of which kubelets compute the checksum. */
export function goText(type: string, { policyName, machine, assignments }: MemoryStateFile): string {
  const nodes = [...machine].sort(([left], [right]) => left - right).map(([id, node]) => [id, goNode(node)] as const);
  const pods = [...assignments].map(([uid, containers]) => {
    const texts = [...containers].map(([name, blocks]) => [name, `[${blocks.map(goBlock).join(' ')}]`] as const);
    return [uid, goMap(sorted(texts))] as const;
  });
  const fields = [
    `PolicyName:(string)${policyName}`,
    `MachineState:(state.NUMANodeMap)${goMap(nodes)}`,
    `Entries:(state.ContainerMemoryAssignments)${goMap(sorted(pods))}`,
    'Checksum:(checksum.Checksum)0',
  ];
  return `(*state.${type}){${fields.join(' ')}}`;
}

function goNode({ assignments, tables, group }: NumaMemory): string {
  const memory = sorted(Object.entries(tables)).map(([type, table]) => [type, goTable(table)] as const);
  const fields = [
    `NumberOfAssignments:(int)${String(assignments)}`,
    `MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${goMap(memory)}`,
    `Cells:([]int)[${group.join(' ')}]`,
  ];
  return `<*>{${fields.join(' ')}}`;
}

function goTable({ total, systemReserved, allocatable, reserved, free }: MemoryTable): string {
  const amounts = {
    TotalMemSize: total,
    SystemReserved: systemReserved,
    Allocatable: allocatable,
    Reserved: reserved,
    Free: free,
  };
  const fields = Object.entries(amounts).map(([name, bytes]) => `${name}:(uint64)${String(bytes)}`);
  return `<*>{${fields.join(' ')}}`;
}

function goBlock({ numaNodes, type, sizeBytes }: MemoryBlock): string {
  return `{NUMAAffinity:([]int)[${numaNodes.join(' ')}] Type:(v1.ResourceName)${type} Size:(uint64)${String(sizeBytes)}}`;
}

function goMap(entries: readonly (readonly [string | number, string])[]): string {
  return `map[${entries.map(([key, text]) => `${String(key)}:${text}`).join(' ')}]`;
}

function sorted<T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
