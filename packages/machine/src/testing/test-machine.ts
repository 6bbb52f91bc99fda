import type { Machine, MachineAddresses, MachineFacts } from '../machine.ts';

/** Differences of a test machine from the default one. */
export interface TestMachineOptions {
  readonly facts?: Partial<MachineFacts> | undefined;
  readonly addresses?: MachineAddresses | undefined;
  /** Size of every file system. Default 1e12. */
  readonly fileSystemBytes?: number | undefined;
}

/** Creates a {@link Machine} that never changes. By default, resources never run short in tests of something else. */
export function createTestMachine(options: TestMachineOptions = {}): Machine {
  const cores = options.facts?.cores ?? 64;
  const facts: MachineFacts = {
    architecture: 'amd64',
    kernelVersion: '6.12.0',
    cpus: `0-${String(cores - 1)}`,
    cores,
    memoryBytes: 2 ** 38,
    swapBytes: 0,
    hugePages: [],
    maxProcesses: 4_194_304,
    machineId: 'machine',
    systemUuid: 'system',
    bootId: 'boot',
    osImage: 'Test GNU/Linux',
    ...options.facts,
  };
  const { addresses = { hostIps: ['192.0.2.1'], defaultRouteIps: { v4: '192.0.2.1' } } } = options;
  return {
    facts: async () => facts,
    addresses: async () => addresses,
    fileSystemBytes: async () => options.fileSystemBytes ?? 1e12,
  };
}
