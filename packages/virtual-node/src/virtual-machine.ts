import type { Machine } from '@rxlet/machine';
import { cpuMillis, quantityNumber } from '@rxlet/pod-model/quantity';

/** Returns the machine of a node that has none: its capacity and addresses are what its owner says. */
export function virtualMachine(
  capacity: Readonly<Record<string, string>>,
  addresses: readonly string[],
  id: string,
): Machine {
  const cores = cpuMillis(capacity['cpu']) / 1000;
  return {
    facts: async () => ({
      architecture: 'amd64',
      kernelVersion: '',
      cpus: cores < 1 ? '' : `0-${String(Math.floor(cores) - 1)}`,
      cores,
      memoryBytes: quantityNumber(capacity['memory']),
      swapBytes: 0,
      hugePages: [],
      maxProcesses: undefined,
      machineId: id,
      systemUuid: id,
      bootId: id,
      osImage: 'virtual node',
    }),
    addresses: async () => ({
      hostIps: addresses,
      defaultRouteIps: {
        v4: addresses.find((address) => !address.includes(':')),
        v6: addresses.find((address) => address.includes(':')),
      },
    }),
    fileSystemBytes: async () => quantityNumber(capacity['ephemeral-storage']),
  };
}
