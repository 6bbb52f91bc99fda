import { type ModuleConfiguration, switchSetting } from '@rxlet/agent-api/configuration';
import { eviction, type EvictionOptions } from './eviction-module.ts';

/** Reports evictions instead of carrying them out. */
const evictionDryRun = switchSetting(
  'evictionDryRun',
  'report in logs and the debug state which pods would be evicted, and evict none',
);

/** Configuration of the module `eviction`. */
export const evictionConfiguration: ModuleConfiguration<EvictionOptions> = {
  name: 'eviction',
  fields: [
    'enforceNodeAllocatable',
    'evictionHard',
    'evictionMaxPodGracePeriod',
    'evictionMinimumReclaim',
    'evictionPressureTransitionPeriod',
    'evictionSoft',
    'evictionSoftGracePeriod',
    'localStorageCapacityIsolation',
    'mergeDefaultEvictionSettings',
  ],
  reloadableFields: [
    'evictionHard',
    'evictionMaxPodGracePeriod',
    'evictionMinimumReclaim',
    'evictionPressureTransitionPeriod',
    'evictionSoft',
    'evictionSoftGracePeriod',
  ],
  withoutEffect: {
    kernelMemcgNotification:
      'no kubelet has it with cgroup v2; with cgroup v1 it needs event descriptors, which Node.js does not have',
  },
  settings: [evictionDryRun],
  options({ configuration, settings }) {
    const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim } = configuration;
    return {
      evictionHard,
      evictionSoft,
      evictionSoftGracePeriod,
      evictionMinimumReclaim,
      enforceNodeAllocatable: configuration.enforceNodeAllocatable,
      pressureTransitionPeriodMs: configuration.evictionPressureTransitionPeriod,
      maxPodGracePeriodSeconds: configuration.evictionMaxPodGracePeriod,
      localStorageCapacityIsolation: configuration.localStorageCapacityIsolation,
      evictionDryRun: settings.get(evictionDryRun),
    };
  },
  module: eviction,
};
