import type { CgroupDriver } from '@rxlet/pod-model/cgroups';
import type { MemoryQos } from './values/memory-qos.ts';

/** Limits that are enforced beside the limits of single pods (KubeletConfiguration `enforceNodeAllocatable`). */
export type Enforcement =
  'pods' | 'system-reserved' | 'kube-reserved' | 'system-reserved-compressible' | 'kube-reserved-compressible' | 'none';

/** Options of {@link createContainerManager}, as in KubeletConfiguration. */
export interface ContainerManagerOptions {
  /** Name of the Node object, to which events are attached. */
  readonly nodeName: string;
  /** Directory on the disk that pods use (kubelet flag `--root-dir`), or below which it will be created. */
  readonly rootDirectory: string;
  /** Whether pods have cgroups of their own, below those of their QoS classes. Default true. */
  readonly cgroupsPerQOS?: boolean | undefined;
  /** Driver if the runtime does not report its own. Default `cgroupfs`. */
  readonly cgroupDriver?: CgroupDriver | undefined;
  /** Existing cgroup below which the cgroup of all pods is created. Default `/`. */
  readonly cgroupRoot?: string | undefined;
  /** Default: `pods`. */
  readonly enforceNodeAllocatable?: readonly Enforcement[] | undefined;
  readonly kubeReserved?: Readonly<Record<string, string>> | undefined;
  readonly systemReserved?: Readonly<Record<string, string>> | undefined;
  readonly kubeReservedCgroup?: string | undefined;
  readonly systemReservedCgroup?: string | undefined;
  /** Hard eviction thresholds, which are not allocatable. Default: none. */
  readonly evictionHard?: Readonly<Record<string, string>> | undefined;
  /** Default: no limit. */
  readonly podPidsLimit?: number | undefined;
  /** Share of requested memory that lower QoS classes cannot use. */
  readonly qosReserved?: Readonly<Record<string, string>> | undefined;
  /** Whether `qosReserved` has an effect (feature gate `QOSReserved`). Default: no. */
  readonly qosReservedEnabled?: boolean | undefined;
  /** Feature gate `MemoryQoS` (cgroup v2). Default: off. */
  readonly memoryQos?: MemoryQos | undefined;
  /** Whether CPU limits of pods are enforced (KubeletConfiguration `cpuCFSQuota`). Default true. */
  readonly cpuCfsQuota?: boolean | undefined;
  /** Default 100 000. */
  readonly cpuCfsQuotaPeriodUs?: number | undefined;
  /** Whether the cgroup of all pods gets all CPUs explicitly, as without a CPU manager policy. Default true. */
  readonly assignAllCpus?: boolean | undefined;
  /** Whether the start fails on a node that swaps (KubeletConfiguration `failSwapOn`). Default false. */
  readonly failSwapOn?: boolean | undefined;
  /**
   * Treatment of kernel parameters that have other values than a node needs (KubeletConfiguration `protectKernelDefaults`): `set` them, or fail the start after
   * a `check`. Default: none.
   */
  readonly kernelParameters?: 'set' | 'check' | undefined;
  /** Cgroup of the agent's process, as an absolute path (KubeletConfiguration `kubeletCgroups`). Default: that in which it was started. */
  readonly kubeletCgroups?: string | undefined;
  /** Cgroup of the processes that are in the root cgroup (KubeletConfiguration `systemCgroups`). Default: they stay there. */
  readonly systemCgroups?: string | undefined;
  /** Largest number of pods on the node. Default 110. */
  readonly maxPods?: number | undefined;
  /** Largest number of pods for each CPU, up to `maxPods`; 0: only that counts. Default 0. */
  readonly podsPerCore?: number | undefined;
}
