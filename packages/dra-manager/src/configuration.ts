import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { dynamicResources, type DynamicResourcesOptions } from './dynamic-resources-module.ts';

/** Configuration of the module `dynamicResources`. */
export const dynamicResourcesConfiguration: ModuleConfiguration<DynamicResourcesOptions> = {
  name: 'dynamic-resources',
  agents: 'cluster',
  gates: ['DRAExtendedResource', 'ResourceHealthStatus', 'ResourceHealthStatusMessage'],
  defaults: {},
  options: ({ gates }) => ({
    extendedResources: gates.isEnabled('DRAExtendedResource'),
    resourceHealthStatus: gates.isEnabled('ResourceHealthStatus'),
    resourceHealthStatusMessage: gates.isEnabled('ResourceHealthStatusMessage'),
  }),
  module: dynamicResources,
};
