import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { volumes } from './volumes-module.ts';

/** Configuration of the module `volumes`. */
export const volumesConfiguration: ModuleConfiguration<object> = {
  name: 'volumes',
  withoutEffect: {
    'experimental-mounter-path': 'volumes are mounted by the mount program of the node',
    volumePluginDir: 'flexVolume, deprecated since Kubernetes 1.23, is not supported: use CSI',
  },
  defaults: {},
  module: () => volumes(),
};
