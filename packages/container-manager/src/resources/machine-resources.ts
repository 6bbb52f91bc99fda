import { type Machine, machineCapacity } from '@rxlet/machine';
import { makeQuantity } from '@rxlet/pod-model/quantity';
import type { ResourceAmounts } from '@rxlet/pod-model/resources';

/** Resources of a machine that are divided among pods and the system. */
export interface MachineResources {
  /** Amounts by resource name: `cpu`, `memory`, `ephemeral-storage`, `hugepages-<size>`, and `pid`, the largest number of processes. */
  readonly capacity: ResourceAmounts;
  /** CPUs that are online, as a kernel list such as `0-2,5`. */
  readonly cpus: string;
}

/** Reads the resources of a machine. `rootDirectory` is on the disk that pods use (kubelet flag `--root-dir`), or will be created there. */
export async function readMachineResources(machine: Machine, rootDirectory: string): Promise<MachineResources> {
  const [facts, storageBytes] = await Promise.all([machine.facts(), machine.fileSystemBytes(rootDirectory)]);
  return {
    cpus: facts.cpus,
    capacity: {
      ...machineCapacity(facts),
      'ephemeral-storage': makeQuantity(storageBytes, 0, 'binarySI'),
      ...(facts.maxProcesses !== undefined && { pid: makeQuantity(facts.maxProcesses) }),
    },
  };
}
