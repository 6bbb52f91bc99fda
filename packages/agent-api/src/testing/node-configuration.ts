import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { NodeConfiguration } from '../configuration/module-configuration.ts';
import type { SettingLookup } from '../configuration/setting.ts';

/** Creates the configuration of a node for tests: nothing is set but `given`, every feature gate is off, and there are no files. */
export function createNodeConfiguration(given: Partial<NodeConfiguration> = {}): NodeConfiguration {
  return {
    configuration: {},
    gates: { isEnabled: () => false },
    flags: new Map(),
    settings: settingValues({}),
    facts: { swapAccounting: false },
    hostFiles: createMemoryFiles().hostFiles,
    ...given,
  };
}

/** Returns settings with the given values, by the names of the settings; others are not set. */
export function settingValues(values: Readonly<Record<string, boolean | string | number>>): SettingLookup {
  return { get: ({ name }) => values[name] as never };
}
