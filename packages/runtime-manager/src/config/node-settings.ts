import type { Quantity } from '@rxlet/kube-api';

/** What the requests to the runtime depend on besides the pod: facts about the node, and the kubelet's configuration. */
export interface NodeSettings {
  /** Directory of the agent's own files, `--root-dir`; pods have theirs under `pods/<uid>`. */
  readonly rootDirectory: string;
  /** Parent of the pods' log directories (KubeletConfiguration `podLogsDir`). */
  readonly podLogsDirectory: string;
  /** Addresses of the node, the primary one first: `status.hostIPs` in the environment, and the resolver when there is no resolv.conf. */
  readonly nodeIps: readonly string[];
  /** DNS servers of the cluster (KubeletConfiguration `clusterDNS`). */
  readonly clusterDns: readonly string[];
  /** Domain of the cluster (KubeletConfiguration `clusterDomain`); empty: none. */
  readonly clusterDomain: string;
  /** Memory of the node, more than 0: OOM scores of Burstable pods follow from it. */
  readonly memoryCapacityBytes: bigint;
  /** What pods may use of the node: stands in for limits that a pod reads from its environment but does not set. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** Page sizes of the hugepages that the node has, in the runtime's notation, e.g. `2MB`. */
  readonly hugePageSizes: readonly string[];
  /** Version of the cgroup hierarchy. */
  readonly cgroupVersion: 1 | 2;
  /** Whether the node's cgroups account for swap (v2: `memory.swap.max` exists; v1: the memsw files do). */
  readonly swapAccounting: boolean;
  /** Whether CPU limits are enforced (KubeletConfiguration `cpuCFSQuota`). */
  readonly cpuCfsQuota: boolean;
  /** Length of the period over which CPU limits hold (KubeletConfiguration `cpuCFSQuotaPeriod`), in microseconds. */
  readonly cpuCfsQuotaPeriodUs: number;
  /** Kill only the process that the kernel chose when memory runs out, not the whole container (KubeletConfiguration `singleProcessOOMKill`). */
  readonly singleProcessOomKill: boolean;
  /** Use the runtime's default seccomp profile where a pod names none (KubeletConfiguration `seccompDefault`). */
  readonly seccompDefault: boolean;
  /** Whether containers choose the signal that asks them to stop, `lifecycle.stopSignal` (feature gate `ContainerStopSignals`). */
  readonly containerStopSignals: boolean;
  /** Whether SELinux is enabled, so that the agent's own files must be labelled for the containers that they are mounted into. */
  readonly seLinux: boolean;
  /** Paths to mask in containers besides the fixed ones: the node's `/sys/devices/system/cpu/cpuN/thermal_throttle`. */
  readonly extraMaskedPaths: readonly string[];
}

/** The kubelet's defaults where it has some; a node without cluster DNS, hugepages and swap otherwise. */
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
