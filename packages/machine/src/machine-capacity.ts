import { formatQuantity, makeQuantity, type ParsedQuantity } from '@rxlet/pod-model/quantity';
import type { ResourceAmounts } from '@rxlet/pod-model/resources';
import type { MachineFacts } from './machine.ts';

/** Returns the capacity of a machine: `cpu`, `memory` and `hugepages-<size>` (kubelet: CapacityFromMachineInfo). */
export function machineCapacity(facts: Pick<MachineFacts, 'cores' | 'memoryBytes' | 'hugePages'>): ResourceAmounts {
  return {
    cpu: makeQuantity(facts.cores),
    memory: bytes(facts.memoryBytes),
    ...Object.fromEntries(
      facts.hugePages.map(
        ({ sizeBytes, count }) => [`hugepages-${formatQuantity(bytes(sizeBytes))}`, bytes(sizeBytes * count)] as const,
      ),
    ),
  };
}

function bytes(amount: number): ParsedQuantity {
  return makeQuantity(amount, 0, 'binarySI');
}
