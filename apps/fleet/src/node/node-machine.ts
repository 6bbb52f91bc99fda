import { type Machine, hostPlatform } from '@rxlet/machine';

/** Size of a node. */
export interface NodeSize {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Size of the disk of images, volumes and logs. */
  readonly diskBytes: number;
  readonly maxPods: number;
}

/** Creates the machine of a node. Its ids follow from the name, so that they are the same in every run. */
export function createNodeMachine(name: string, address: string, { cpus, memoryBytes, diskBytes }: NodeSize): Machine {
  const facts = {
    ...hostPlatform(),
    cpus: cpus === 1 ? '0' : `0-${String(cpus - 1)}`,
    cores: cpus,
    memoryBytes,
    swapBytes: 0,
    hugePages: [],
    maxProcesses: 4_194_304,
    machineId: name,
    systemUuid: name,
    bootId: name,
    osImage: 'rxlet-fleet',
  };
  const addresses = { hostIps: [address], defaultRouteIps: { v4: address } };
  return {
    facts: async () => facts,
    addresses: async () => addresses,
    fileSystemBytes: async () => diskBytes,
  };
}
