import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { stats, type StatsOptions } from './stats-module.ts';

/** Deprecated flags that a kubelet passes on to cAdvisor. */
const CADVISOR_FLAGS: readonly string[] = [
  'application-metrics-count-limit',
  'boot-id-file',
  'container-hints',
  'containerd',
  'containerd-namespace',
  'enable-load-reader',
  'event-storage-age-limit',
  'event-storage-event-limit',
  'global-housekeeping-interval',
  'log-cadvisor-usage',
  'machine-id-file',
  'storage-driver-buffer-duration',
  'storage-driver-db',
  'storage-driver-host',
  'storage-driver-password',
  'storage-driver-secure',
  'storage-driver-table',
  'storage-driver-user',
];

/** Configuration of the module `stats`. */
export const statsConfiguration: ModuleConfiguration<StatsOptions> = {
  name: 'stats',
  gates: ['PodAndContainerStatsFromCRI'],
  fields: ['kubeletCgroups', 'systemCgroups', 'volumeStatsAggPeriod'],
  flags: ['runtime-cgroups'],
  withoutEffect: {
    'housekeeping-interval': 'nothing is measured at rest: cgroups are read when statistics are requested',
    ...Object.fromEntries(CADVISOR_FLAGS.map((flag) => [flag, 'of cAdvisor, which the agent does not have'])),
  },
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
