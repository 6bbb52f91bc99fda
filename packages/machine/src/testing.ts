export { createTestMachine, type TestMachineOptions } from './testing/test-machine.ts';
