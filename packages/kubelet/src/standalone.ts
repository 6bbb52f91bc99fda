import type { AgentModule } from '@rxlet/agent-api';
import {
  cgroups,
  type CgroupsOptions,
  oomEvents,
  type OomEventsOptions,
  podAllocation,
  type ResizePolicies,
} from '@rxlet/container-manager';
import { servingCertificates, type ServingCertificatesOptions } from '@rxlet/certificates';
import { cpuManager, type CpuManagerModuleOptions } from '@rxlet/cpu-manager';
import { csi, type CsiOptions } from '@rxlet/csi';
import { devicePlugins, type DevicePluginsOptions } from '@rxlet/device-manager';
import { containerLogs, type ContainerLogsOptions } from '@rxlet/container-logs';
import { eviction, type EvictionOptions } from '@rxlet/eviction';
import { imageCredentials, type ImageCredentialsOptions } from '@rxlet/image-credentials';
import { imageManagement, type ImageManagementOptions } from '@rxlet/image-manager';
import { kubeletApi, type KubeletApiOptions, localSocket, type LocalSocketOptions } from '@rxlet/kubelet-server';
import { lifecycleHooks, type LifecycleHooksModuleOptions } from '@rxlet/lifecycle';
import { memoryManager, type MemoryManagerModuleOptions } from '@rxlet/memory-manager';
import { nodeAdmission, type NodeAdmissionOptions } from '@rxlet/node-admission';
import { nodeShutdown, type NodeShutdownModuleOptions } from '@rxlet/node-shutdown';
import { nodePlugins } from '@rxlet/node-plugins';
import {
  staticPods,
  staticPodsFromUrl,
  type StaticPodsFromUrlOptions,
  type StaticPodsOptions,
} from '@rxlet/pod-source';
import { podResources } from '@rxlet/pod-resources';
import { podsApi } from '@rxlet/pods-api';
import { probes, type ProbesOptions } from '@rxlet/prober';
import { stats, type StatsOptions } from '@rxlet/stats';
import { statusCheckpoint } from '@rxlet/status-manager';
import { topologyManager, type TopologyManagerOptions } from '@rxlet/topology-manager';
import { volumes, type VolumesOptions } from '@rxlet/volume-manager';
import { activeDeadlines } from '@rxlet/agent';
import { containerGarbageCollection } from '@rxlet/agent';

/** Options of {@link standalone}; each is passed to the module of that name. */
export interface StandaloneOptions {
  /** Folder or file of manifests. Default: none. */
  readonly staticPods?: StaticPodsOptions | undefined;
  /** URL of manifests. Default: none. */
  readonly staticPodsFromUrl?: StaticPodsFromUrlOptions | undefined;
  /** Cgroups of pods and resources of the node. Default: the runtime chooses the cgroups of containers. */
  readonly cgroups?: CgroupsOptions | undefined;
  /** Alignment of CPUs, memory and devices with NUMA nodes. Default: none. */
  readonly topologyManager?: TopologyManagerOptions | undefined;
  readonly nodeAdmission?: NodeAdmissionOptions | undefined;
  /** Time for the pods to end when the node shuts down. Default: none. */
  readonly nodeShutdown?: NodeShutdownModuleOptions | undefined;
  readonly csi?: CsiOptions | undefined;
  readonly devicePlugins?: DevicePluginsOptions | undefined;
  /** CPUs of containers. Default: all containers share the CPUs of the node. */
  readonly cpuManager?: CpuManagerModuleOptions | undefined;
  /** Memory of NUMA nodes for containers. Default: all containers share the memory of the node. */
  readonly memoryManager?: MemoryManagerModuleOptions | undefined;
  readonly volumes?: VolumesOptions | undefined;
  readonly podAllocation?: ResizePolicies | undefined;
  /** Events of the node that runs out of memory. Default: none. */
  readonly oomEvents?: OomEventsOptions | undefined;
  readonly imageCredentials?: ImageCredentialsOptions | undefined;
  readonly imageManagement?: ImageManagementOptions | undefined;
  readonly lifecycleHooks?: LifecycleHooksModuleOptions | undefined;
  readonly probes?: ProbesOptions | undefined;
  readonly containerLogs?: ContainerLogsOptions | undefined;
  /** Statistics of the node and its pods, which are measured on request. */
  readonly stats?: StatsOptions | undefined;
  /** Evictions under pressure and limits of local storage. Default: nothing is evicted. */
  readonly eviction?: EvictionOptions | undefined;
  /** Whether the pods are served over gRPC, on `<root>/pods-api/pods-api.sock`. Default: false. */
  readonly podsApi?: boolean | undefined;
  /** Certificate of the node's own API. Default: none. */
  readonly servingCertificates?: ServingCertificatesOptions | undefined;
  /** Unix socket that serves the agent's endpoints. Default: none. */
  readonly localSocket?: LocalSocketOptions | undefined;
  /** The kubelet's API over HTTPS; it needs `servingCertificates`. Default: none. */
  readonly kubeletApi?: KubeletApiOptions | undefined;
}

/**
 * Returns the modules of an agent without an API server: static pods, admission, volumes, images, hooks, probes, logs, garbage collection and statuses that survive a restart.
 *
 * @example
 * ```ts
 * import { createAgent } from '@rxlet/agent';
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createFakeRuntime } from '@rxlet/fake-cri';
 * import { standalone } from '@rxlet/kubelet';
 *
 * const fake = createFakeRuntime({ clock: systemClock, random: systemRandom });
 * const node = { rootDirectory: '/var/lib/rxlet', podLogsDirectory: '/var/log/pods', memoryCapacityBytes: 8n << 30n };
 * const modules = standalone({ staticPods: { path: '/etc/kubernetes/manifests' } });
 * await using agent = await createAgent({ runtime: fake.runtime, images: fake.images, node }, modules);
 * await agent.start();
 * ```
 */
export function standalone(options: StandaloneOptions = {}): readonly AgentModule[] {
  return [
    ...(options.staticPods === undefined ? [] : [staticPods(options.staticPods)]),
    ...(options.staticPodsFromUrl === undefined ? [] : [staticPodsFromUrl(options.staticPodsFromUrl)]),
    ...(options.cgroups === undefined ? [] : [cgroups(options.cgroups)]),
    podAllocation(options.podAllocation),
    ...(options.oomEvents === undefined ? [] : [oomEvents(options.oomEvents)]),
    topologyManager(options.topologyManager),
    nodeAdmission(options.nodeAdmission),
    ...(options.nodeShutdown === undefined ? [] : [nodeShutdown(options.nodeShutdown)]),
    nodePlugins(),
    csi(options.csi),
    devicePlugins(options.devicePlugins),
    cpuManager(options.cpuManager),
    memoryManager(options.memoryManager),
    volumes(options.volumes),
    imageCredentials(options.imageCredentials),
    imageManagement(options.imageManagement),
    lifecycleHooks(options.lifecycleHooks),
    probes(options.probes),
    containerLogs(options.containerLogs),
    containerGarbageCollection(),
    activeDeadlines(),
    statusCheckpoint(),
    stats(options.stats),
    ...(options.eviction === undefined ? [] : [eviction(options.eviction)]),
    podResources(),
    ...(options.podsApi === true ? [podsApi()] : []),
    ...(options.servingCertificates === undefined ? [] : [servingCertificates(options.servingCertificates)]),
    ...(options.localSocket === undefined ? [] : [localSocket(options.localSocket)]),
    ...(options.kubeletApi === undefined ? [] : [kubeletApi(options.kubeletApi)]),
  ];
}
