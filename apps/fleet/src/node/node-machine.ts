import { type Machine, hostPlatform } from '@rxlet/machine';
import type { Boots, NodeSize } from './node-size.ts';

/** Creates the machine of a node. Its ids follow from the name, so that they are the same in every run. */
export function createNodeMachine(
  name: string,
  address: string,
  { cpus, memoryBytes, diskBytes }: NodeSize,
  boots: Pick<Boots, 'count'>,
): Machine {
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
    osImage: 'rxlet-fleet',
  };
  const addresses = { hostIps: [address], defaultRouteIps: { v4: address } };
  return {
    facts: async () => ({ ...facts, bootId: `${name}-${String(boots.count)}` }),
    addresses: async () => addresses,
    fileSystemBytes: async () => diskBytes,
  };
}
