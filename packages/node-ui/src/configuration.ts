import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { nodeUi } from './node-ui-module.ts';

/** Configuration of the module `nodeUi`. */
export const nodeUiConfiguration: ModuleConfiguration<object> = {
  name: 'node-ui',
  defaults: {},
  options: () => ({}),
  module: () => nodeUi(),
};
