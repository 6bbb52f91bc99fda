import { type ModuleConfiguration, switchSetting } from '@rxlet/agent-api/configuration';
import { offlineCache, type OfflineCacheOptions } from './offline-cache-module.ts';

/** Keeps the last known pods for a start without the API server. */
const offlineCacheSetting = switchSetting(
  'offlineCache',
  'keep pods and their objects on disk, encrypted, and start them without the API server',
);

/** Configuration of the module `offlineCache`. */
export const offlineCacheConfiguration: ModuleConfiguration<Omit<OfflineCacheOptions, 'clients'>> = {
  name: 'offline-cache',
  agents: 'cluster',
  replaces: 'api-server',
  settings: [offlineCacheSetting],
  options: ({ settings }) => (settings.get(offlineCacheSetting) === true ? {} : undefined),
  module: (options, clients) => offlineCache({ ...options, clients }),
};
