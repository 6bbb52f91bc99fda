import type { Quantity } from '@rxlet/kube-api';
import type { MemoryQosSettings } from './memory-qos.ts';
import type { SwapSettings } from './swap-limit.ts';

/** Facts about the node and kubelet configuration that requests to the runtime depend on. */
export interface NodeSettings {
  /** Root directory of the agent (`--root-dir`). The directories of pods are `pods/<uid>` in it. */
  readonly rootDirectory: string;
  /** Parent of the log directories of pods (KubeletConfiguration `podLogsDir`). */
  readonly podLogsDirectory: string;
  /** Addresses of the node, the primary one first. They are `status.hostIPs` in the environment, and select the resolver without a resolv.conf. */
  readonly nodeIps: readonly string[];
  /** DNS servers of the cluster (KubeletConfiguration `clusterDNS`). */
  readonly clusterDns: readonly string[];
  /** Domain of the cluster (KubeletConfiguration `clusterDomain`); empty: none. */
  readonly clusterDomain: string;
  /** Memory of the node, more than 0. The OOM scores of Burstable pods depend on it. */
  readonly memoryCapacityBytes: bigint;
  /** Resources of the node that pods may use. They are the default of a limit that a container's environment refers to. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** Huge page sizes of the node in the runtime's notation, such as `2MB`. */
  readonly hugePageSizes: readonly string[];
  /** Version of the cgroup hierarchy. */
  readonly cgroupVersion: 1 | 2;
  /** Whether the node's cgroups account for swap (v2: `memory.swap.max` exists; v1: the memsw files do). */
  readonly swapAccounting: boolean;
  /** Swap that the containers of Burstable pods share by their memory requests, with cgroup v2. Default: containers do not swap. */
  readonly swap?: SwapSettings | undefined;
  /** Whether CPU limits are enforced (KubeletConfiguration `cpuCFSQuota`). */
  readonly cpuCfsQuota: boolean;
  /** Reports whether the CPU limit of a container is not enforced, because it has CPUs for itself. Default: of none. */
  readonly isCpuUnlimited?: ((podUid: string, containerName: string) => boolean) | undefined;
  /** CFS period for CPU limits (KubeletConfiguration `cpuCFSQuotaPeriod`), in microseconds. */
  readonly cpuCfsQuotaPeriodUs: number;
  /** Whether an OOM kill stops one process instead of the whole container (KubeletConfiguration `singleProcessOOMKill`). */
  readonly singleProcessOomKill: boolean;
  /** Protection and throttling of memory, for cgroup v2 (feature gate `MemoryQoS`). Default: off. */
  readonly memoryQos?: MemoryQosSettings | undefined;
  /** Whether the runtime's default seccomp profile applies where a pod sets none (KubeletConfiguration `seccompDefault`). */
  readonly seccompDefault: boolean;
  /** Whether containers may choose their stop signal by `lifecycle.stopSignal` (feature gate `ContainerStopSignals`). */
  readonly containerStopSignals: boolean;
  /** Whether SELinux is enabled. Files that the agent mounts into containers are then relabelled. */
  readonly seLinux: boolean;
  /** Paths to mask in containers besides the fixed ones, such as the node's `/sys/devices/system/cpu/cpuN/thermal_throttle`. */
  readonly extraMaskedPaths: readonly string[];
}

/** Default settings: the kubelet's configuration defaults, and a node without cluster DNS, huge pages and swap. */
export const defaultNodeSettings: Omit<NodeSettings, 'memoryCapacityBytes'> = {
  rootDirectory: '/var/lib/kubelet',
  podLogsDirectory: '/var/log/pods',
  nodeIps: [],
  clusterDns: [],
  clusterDomain: '',
  allocatable: {},
  hugePageSizes: [],
  cgroupVersion: 2,
  swapAccounting: false,
  cpuCfsQuota: true,
  cpuCfsQuotaPeriodUs: 100_000,
  singleProcessOomKill: false,
  seccompDefault: false,
  containerStopSignals: false,
  seLinux: false,
  extraMaskedPaths: [],
};
