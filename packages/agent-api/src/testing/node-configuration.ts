import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { NodeConfiguration } from '../configuration/module-configuration.ts';

/** Creates the configuration of a node for tests: nothing is set but `given`, every feature gate is off, and there are no files. */
export function createNodeConfiguration(given: Partial<NodeConfiguration> = {}): NodeConfiguration {
  return {
    configuration: {},
    gates: { isEnabled: () => false },
    flags: new Map(),
    settings: { get: () => undefined },
    facts: { swapAccounting: false },
    hostFiles: createMemoryFiles().hostFiles,
    ...given,
  };
}
