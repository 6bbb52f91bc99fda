import { activeDeadlines, apiServer, containerGarbageCollection, containerRestarts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { servingCertificatesConfiguration } from '@rxlet/certificates/configuration';
import { clusterEventsConfiguration, clusterPodsConfiguration } from '@rxlet/cluster-pods/configuration';
import { containerLogsConfiguration } from '@rxlet/container-logs/configuration';
import {
  cgroupsConfiguration,
  oomEventsConfiguration,
  podAllocationConfiguration,
} from '@rxlet/container-manager/configuration';
import { cpuManagerConfiguration } from '@rxlet/cpu-manager/configuration';
import { csi } from '@rxlet/csi';
import { dynamicResourcesConfiguration } from '@rxlet/dra-manager/configuration';
import { devicePluginsConfiguration } from '@rxlet/device-manager/configuration';
import { evictionConfiguration } from '@rxlet/eviction/configuration';
import { iptablesConfiguration } from '@rxlet/iptables/configuration';
import { imageCredentialsConfiguration } from '@rxlet/image-credentials/configuration';
import { imageManagementConfiguration } from '@rxlet/image-manager/configuration';
import { kubeletApiConfiguration, localSocketConfiguration } from '@rxlet/kubelet-server/configuration';
import { journalConfiguration } from '@rxlet/journal/configuration';
import { lifecycleHooks } from '@rxlet/lifecycle';
import { memoryManagerConfiguration } from '@rxlet/memory-manager/configuration';
import { nodeAdmissionConfiguration } from '@rxlet/node-admission/configuration';
import { nodePlugins } from '@rxlet/node-plugins';
import { nodeShutdownConfiguration } from '@rxlet/node-shutdown/configuration';
import { nodeStatusConfiguration, nodeViewConfiguration, podCidrConfiguration } from '@rxlet/node-status/configuration';
import { nodeUiConfiguration } from '@rxlet/node-ui/configuration';
import { offlineCacheConfiguration } from '@rxlet/offline-cache/configuration';
import { podResources } from '@rxlet/pod-resources';
import { staticPodsConfiguration, staticPodsFromUrlConfiguration } from '@rxlet/pod-source/configuration';
import { podsApiConfiguration } from '@rxlet/pods-api/configuration';
import { probes } from '@rxlet/prober';
import { statsConfiguration } from '@rxlet/stats/configuration';
import { apiStatusesConfiguration, statusCheckpointConfiguration } from '@rxlet/status-manager/configuration';
import { tracingConfiguration } from '@rxlet/tracing/configuration';
import { topologyManagerConfiguration } from '@rxlet/topology-manager/configuration';
import { volumesConfiguration } from '@rxlet/volume-manager/configuration';

/** A module of a preset: its configuration, or the module itself when no configuration concerns it. */
export type PresetModule = ModuleConfiguration | (() => AgentModule);

const apiServerConfiguration: ModuleConfiguration<object> = {
  name: 'api-server',
  agents: 'cluster',
  defaults: {},
  module: (_options, clients) => apiServer({ clients }),
};

/** Modules of a kubelet, in the order of their set-up. A line adds a capability; deleting the line removes it. */
export const KUBELET_MODULES: readonly PresetModule[] = [
  tracingConfiguration,
  apiServerConfiguration,
  offlineCacheConfiguration,
  nodeStatusConfiguration,
  nodeViewConfiguration,
  ...clusterPodsConfiguration,
  staticPodsConfiguration,
  staticPodsFromUrlConfiguration,
  cgroupsConfiguration,
  podAllocationConfiguration,
  oomEventsConfiguration,
  topologyManagerConfiguration,
  nodeAdmissionConfiguration,
  nodeShutdownConfiguration,
  iptablesConfiguration,
  nodePlugins,
  csi,
  dynamicResourcesConfiguration,
  devicePluginsConfiguration,
  cpuManagerConfiguration,
  memoryManagerConfiguration,
  volumesConfiguration,
  imageCredentialsConfiguration,
  imageManagementConfiguration,
  lifecycleHooks,
  probes,
  containerLogsConfiguration,
  containerGarbageCollection,
  activeDeadlines,
  containerRestarts,
  statusCheckpointConfiguration,
  journalConfiguration,
  statsConfiguration,
  evictionConfiguration,
  podResources,
  podCidrConfiguration,
  podsApiConfiguration,
  servingCertificatesConfiguration,
  nodeUiConfiguration,
  localSocketConfiguration,
  kubeletApiConfiguration,
  clusterEventsConfiguration,
  apiStatusesConfiguration,
];
