import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { stats, type StatsOptions } from './stats-module.ts';

/** Configuration of the module `stats`. */
export const statsConfiguration: ModuleConfiguration<StatsOptions> = {
  name: 'stats',
  gates: ['PodAndContainerStatsFromCRI'],
  fields: ['kubeletCgroups', 'systemCgroups', 'volumeStatsAggPeriod'],
  flags: ['runtime-cgroups'],
  defaults: {},
  options: ({ configuration, gates, flags }) => ({
    volumePeriodMs: configuration.volumeStatsAggPeriod,
    onlyFromRuntime: gates.isEnabled('PodAndContainerStatsFromCRI'),
    systemCgroups: {
      kubelet: configuration.kubeletCgroups || undefined,
      runtime: (flags.get('runtime-cgroups') as string | undefined) || undefined,
      misc: configuration.systemCgroups || undefined,
    },
  }),
  module: stats,
};
