import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { podsApi } from './pods-api-module.ts';

/** Configuration of the module `podsApi`. */
export const podsApiConfiguration: ModuleConfiguration<object> = {
  name: 'pods-api',
  gates: ['PodsAPI'],
  options: ({ gates }) => (gates.isEnabled('PodsAPI') ? {} : undefined),
  module: () => podsApi(),
};
