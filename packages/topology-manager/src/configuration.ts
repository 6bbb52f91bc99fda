import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { topologyManager, type TopologyManagerOptions } from './topology-manager-module.ts';

/** Configuration of the module `topologyManager`. */
export const topologyManagerConfiguration: ModuleConfiguration<TopologyManagerOptions> = {
  name: 'topology-manager',
  fields: ['topologyManagerPolicy', 'topologyManagerPolicyOptions', 'topologyManagerScope'],
  defaults: {},
  options: ({ configuration }) => ({
    policy: configuration.topologyManagerPolicy,
    scope: configuration.topologyManagerScope,
    options: configuration.topologyManagerPolicyOptions,
  }),
  module: topologyManager,
};
