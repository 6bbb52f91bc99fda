export { createTestMachine, type TestMachineOptions } from './testing/test-machine.ts';
export { createTestTopology, type TestTopology } from './testing/test-topology.ts';
