import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { devicePlugins, type DevicePluginsOptions } from './device-plugins-module.ts';

/** Configuration of the module `devicePlugins`. */
export const devicePluginsConfiguration: ModuleConfiguration<DevicePluginsOptions> = {
  name: 'device-plugins',
  gates: ['ResourceHealthStatus'],
  defaults: {},
  options: ({ gates }) => ({ resourceHealthStatus: gates.isEnabled('ResourceHealthStatus') }),
  module: devicePlugins,
};
