import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { apiStatuses } from './api/api-statuses-module.ts';
import type { StatusCheckpointOptions } from './checkpoint/status-checkpoint.ts';
import { statusCheckpoint } from './checkpoint/status-checkpoint-module.ts';

/** Configuration of the module `statusCheckpoint`. In a cluster, the API server keeps the statuses of pods. */
export const statusCheckpointConfiguration: ModuleConfiguration<StatusCheckpointOptions> = {
  name: 'status-checkpoint',
  agents: 'standalone',
  defaults: {},
  module: statusCheckpoint,
};

/** Configuration of the module `apiStatuses`. */
export const apiStatusesConfiguration: ModuleConfiguration<object> = {
  name: 'api-statuses',
  agents: 'cluster',
  defaults: {},
  module: () => apiStatuses(),
};
