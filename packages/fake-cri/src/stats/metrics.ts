import { create } from '@bufbuild/protobuf';
import {
  type ContainerStats,
  type LinuxContainerResources,
  type MetricDescriptor,
  type PodSandboxMetrics,
  PodSandboxMetricsSchema,
  type PodSandboxStats,
} from '@rxlet/cri-api';
import type { Container, Sandbox } from '../runtime-objects.ts';
import { lifeMs } from './life.ts';
import { describeMetrics, measure, type MetricDefinition, metricsOf } from './metric-definition.ts';

const SECOND_NS = 1_000_000_000n;
const BYTES_PER_PACKET = 200n;
/** File system of the writable layers. */
const DISK = { device: '/dev/vda1', bytes: 100n * 2n ** 30n, inodes: 6_553_600n } as const;
const DEFAULT_CPU_PERIOD_US = 100_000n;
const DEFAULT_CPU_SHARES = 1024n;
/** Threads and open files of each process, and the limit of the former. */
const PER_PROCESS = { threads: 1n, files: 4n } as const;
const THREADS_MAX = 4915n;

type NetworkCounter = 'rxBytes' | 'txBytes' | 'rxErrors' | 'txErrors';

// Names and labels of cAdvisor, which the kubelet passes on.
const network =
  (counter: NetworkCounter) =>
  ({ linux }: PodSandboxStats): bigint | undefined =>
    linux?.network?.defaultInterface?.[counter]?.value;
const packets =
  (counter: NetworkCounter) =>
  (stats: PodSandboxStats): bigint | undefined => {
    const bytes = network(counter)(stats);
    return bytes === undefined ? undefined : bytes / BYTES_PER_PACKET;
  };
/** 0 where there is a network. */
const noPackets = (stats: PodSandboxStats): bigint | undefined =>
  network('rxBytes')(stats) === undefined ? undefined : 0n;

const POD_METRICS: readonly MetricDefinition<PodSandboxStats>[] = metricsOf<PodSandboxStats>(
  'counter',
  ['id'],
  { interface: 'eth0' },
  [
    ['container_network_receive_bytes_total', 'Cumulative count of bytes received', network('rxBytes')],
    ['container_network_receive_packets_total', 'Cumulative count of packets received', packets('rxBytes')],
    ['container_network_receive_packets_dropped_total', 'Cumulative count of received packets dropped', noPackets],
    ['container_network_receive_errors_total', 'Cumulative count of errors while receiving', network('rxErrors')],
    ['container_network_transmit_bytes_total', 'Cumulative count of bytes sent', network('txBytes')],
    ['container_network_transmit_packets_total', 'Cumulative count of packets sent', packets('txBytes')],
    ['container_network_transmit_packets_dropped_total', 'Cumulative count of sent packets dropped', noPackets],
    ['container_network_transmit_errors_total', 'Cumulative count of errors while sending', network('txErrors')],
  ],
);

/** State of a running container from which its metrics follow. */
interface ContainerSample {
  readonly stats: ContainerStats;
  readonly resources: LinuxContainerResources | undefined;
  readonly startedAt: bigint;
  readonly elapsedMs: number;
  /** Number of its processes. */
  readonly processes: bigint;
}

const CONTAINER_LABELS = ['id', 'name'];
const none = (): bigint => 0n;
const cpuTime = ({ stats }: ContainerSample): bigint | undefined => stats.cpu?.usageCoreNanoSeconds?.value;
/** A fifth of the CPU time is spent in the kernel. */
const systemSeconds = (sample: ContainerSample): bigint | undefined => {
  const total = cpuTime(sample);
  return total === undefined ? undefined : total / 5n / SECOND_NS;
};
const userSeconds = (sample: ContainerSample): bigint | undefined => {
  const total = cpuTime(sample);
  return total === undefined ? undefined : (total - total / 5n) / SECOND_NS;
};
const cpuPeriod = ({ resources }: ContainerSample): bigint => resources?.cpuPeriod || DEFAULT_CPU_PERIOD_US;
const hasQuota = ({ resources }: ContainerSample): boolean => (resources?.cpuQuota ?? 0n) > 0n;
const memory =
  (field: 'workingSetBytes' | 'usageBytes' | 'rssBytes') =>
  ({ stats }: ContainerSample): bigint | undefined =>
    stats.memory?.[field]?.value;
const cache = (sample: ContainerSample): bigint | undefined => {
  const [usage, rss] = [memory('usageBytes')(sample), memory('rssBytes')(sample)];
  return usage === undefined || rss === undefined ? undefined : usage - rss;
};

const CPU_AND_MEMORY_COUNTERS = metricsOf<ContainerSample>('counter', CONTAINER_LABELS, {}, [
  [
    'container_cpu_usage_seconds_total',
    'Cumulative CPU time used, in whole seconds',
    (sample) => {
      const total = cpuTime(sample);
      return total === undefined ? undefined : total / SECOND_NS;
    },
  ],
  ['container_cpu_user_seconds_total', 'Cumulative CPU time of programs, in whole seconds', userSeconds],
  ['container_cpu_system_seconds_total', 'Cumulative CPU time of the kernel, in whole seconds', systemSeconds],
  [
    'container_cpu_cfs_periods_total',
    'Number of elapsed periods of the CPU quota',
    (sample) => (hasQuota(sample) ? BigInt(Math.floor(sample.elapsedMs * 1000)) / cpuPeriod(sample) : undefined),
  ],
  [
    'container_cpu_cfs_throttled_periods_total',
    'Number of throttled periods of the CPU quota',
    (sample) => (hasQuota(sample) ? 0n : undefined),
  ],
  [
    'container_cpu_cfs_throttled_seconds_total',
    'Time throttled by the CPU quota, in whole seconds',
    (sample) => (hasQuota(sample) ? 0n : undefined),
  ],
  ['container_memory_failcnt', 'Number of times that the memory limit was hit', none],
  ['container_oom_events_total', 'Number of out of memory events', none],
]);

const GAUGES = metricsOf<ContainerSample>('gauge', CONTAINER_LABELS, {}, [
  ['container_memory_working_set_bytes', 'Working set in bytes', memory('workingSetBytes')],
  ['container_memory_usage_bytes', 'Memory in use in bytes, the cache included', memory('usageBytes')],
  ['container_memory_max_usage_bytes', 'Maximum of the memory in use in bytes', memory('usageBytes')],
  ['container_memory_rss', 'Resident set in bytes', memory('rssBytes')],
  ['container_memory_cache', 'Page cache in bytes', cache],
  ['container_memory_mapped_file', 'Mapped files in bytes', none],
  ['container_memory_swap', 'Swap in bytes', none],
  ['container_memory_kernel_usage', 'Memory of the kernel in bytes', none],
  ['container_processes', 'Number of processes', ({ processes }) => processes],
  ['container_threads', 'Number of threads', ({ processes }) => processes * PER_PROCESS.threads],
  ['container_threads_max', 'Maximum number of threads', () => THREADS_MAX],
  ['container_file_descriptors', 'Number of open files', ({ processes }) => processes * PER_PROCESS.files],
  ['container_sockets', 'Number of open sockets', none],
  ['container_last_seen', 'Time of the statistics in seconds', ({ stats }) => (stats.cpu?.timestamp ?? 0n) / SECOND_NS],
  ['container_start_time_seconds', 'Start of the container in seconds', ({ startedAt }) => startedAt / SECOND_NS],
  ['container_spec_cpu_period', 'Period of the CPU quota in microseconds', cpuPeriod],
  [
    'container_spec_cpu_quota',
    'CPU quota in microseconds',
    (sample) => (hasQuota(sample) ? sample.resources?.cpuQuota : undefined),
  ],
  ['container_spec_cpu_shares', 'CPU shares', ({ resources }) => resources?.cpuShares || DEFAULT_CPU_SHARES],
  ['container_spec_memory_limit_bytes', 'Memory limit', ({ resources }) => resources?.memoryLimitInBytes ?? 0n],
  ['container_spec_memory_reservation_limit_bytes', 'Memory reservation', none],
  [
    'container_spec_memory_swap_limit_bytes',
    'Limit of memory and swap',
    ({ resources }) => resources?.memorySwapLimitInBytes ?? 0n,
  ],
]);

const usedBytes = ({ stats }: ContainerSample): bigint | undefined => stats.writableLayer?.usedBytes?.value;
const DISK_METRICS = [
  ...metricsOf<ContainerSample>('gauge', CONTAINER_LABELS, { device: DISK.device }, [
    ['container_fs_usage_bytes', 'Bytes in the writable layer', usedBytes],
    ['container_fs_limit_bytes', 'Size of the file system in bytes', () => DISK.bytes],
    ['container_fs_inodes_total', 'Number of inodes', () => DISK.inodes],
    [
      'container_fs_inodes_free',
      'Number of free inodes',
      ({ stats }) => DISK.inodes - (stats.writableLayer?.inodesUsed?.value ?? 0n),
    ],
  ]),
  ...metricsOf<ContainerSample>('counter', CONTAINER_LABELS, { device: DISK.device }, [
    ['container_fs_reads_total', 'Cumulative count of reads', none],
    ['container_fs_reads_bytes_total', 'Cumulative count of bytes read', none],
    ['container_fs_writes_total', 'Cumulative count of writes', none],
    ['container_fs_writes_bytes_total', 'Cumulative count of bytes written', usedBytes],
  ]),
  ...metricsOf<ContainerSample>(
    'counter',
    CONTAINER_LABELS,
    { device: DISK.device, major: '254', minor: '1', operation: 'Write' },
    [['container_blkio_device_usage_total', 'Bytes of block devices', usedBytes]],
  ),
];

const pageFaults =
  (field: 'pageFaults' | 'majorPageFaults') =>
  ({ stats }: ContainerSample): bigint | undefined =>
    stats.memory?.[field]?.value;
const FAILURES = 'Cumulative count of page faults';
const MEMORY_FAILURES = [
  ...metricsOf<ContainerSample>('counter', CONTAINER_LABELS, { failure_type: 'pgfault', scope: 'container' }, [
    ['container_memory_failures_total', FAILURES, pageFaults('pageFaults')],
  ]),
  ...metricsOf<ContainerSample>('counter', CONTAINER_LABELS, { failure_type: 'pgmajfault', scope: 'container' }, [
    ['container_memory_failures_total', FAILURES, pageFaults('majorPageFaults')],
  ]),
];

const CONTAINER_METRICS: readonly MetricDefinition<ContainerSample>[] = [
  ...CPU_AND_MEMORY_COUNTERS,
  ...GAUGES,
  ...DISK_METRICS,
  ...MEMORY_FAILURES,
];

/** Descriptors of the metrics of {@link sandboxMetrics}. */
export function metricDescriptors(): MetricDescriptor[] {
  return [...describeMetrics(POD_METRICS), ...describeMetrics(CONTAINER_METRICS)];
}

/** Returns the metrics of a pod and its running containers, with the numbers of its statistics. */
export function sandboxMetrics(sandbox: Pick<Sandbox, 'containers'>, stats: PodSandboxStats): PodSandboxMetrics {
  const podSandboxId = stats.attributes!.id;
  const timestamp = stats.linux!.cpu!.timestamp;
  return create(PodSandboxMetricsSchema, {
    podSandboxId,
    metrics: measure(POD_METRICS, stats, timestamp, [podSandboxId]),
    containerMetrics: stats.linux!.containers.map((container) => {
      const { id, metadata } = container.attributes!;
      const sample = sampleOf(sandbox.containers.get(id)!, container, timestamp);
      return { containerId: id, metrics: measure(CONTAINER_METRICS, sample, timestamp, [id, metadata!.name]) };
    }),
  });
}

function sampleOf(container: Container, stats: ContainerStats, now: bigint): ContainerSample {
  return {
    stats,
    resources: container.status.resources?.linux,
    startedAt: container.status.startedAt,
    elapsedMs: lifeMs(container, now),
    processes: BigInt(1 + container.execs.size),
  };
}
