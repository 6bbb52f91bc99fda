import { create } from '@bufbuild/protobuf';
import {
  type ContainerStats,
  type Metric,
  type MetricDescriptor,
  MetricDescriptorSchema,
  MetricSchema,
  MetricType,
  type PodSandboxMetrics,
  PodSandboxMetricsSchema,
  type PodSandboxStats,
} from '@rxlet/cri-api';

interface Definition<S> {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  /** `undefined` without a value. */
  value(stats: S): bigint | undefined;
}

// cAdvisor's names, which the kubelet passes on.
const POD_LABELS = ['id', 'interface'];
const CONTAINER_LABELS = ['id', 'name'];

const POD_METRICS: readonly Definition<PodSandboxStats>[] = [
  {
    name: 'container_network_receive_bytes_total',
    help: 'Cumulative count of bytes received',
    type: MetricType.COUNTER,
    labels: POD_LABELS,
    value: ({ linux }) => linux?.network?.defaultInterface?.rxBytes?.value,
  },
  {
    name: 'container_network_transmit_bytes_total',
    help: 'Cumulative count of bytes sent',
    type: MetricType.COUNTER,
    labels: POD_LABELS,
    value: ({ linux }) => linux?.network?.defaultInterface?.txBytes?.value,
  },
];

const CONTAINER_METRICS: readonly Definition<ContainerStats>[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative CPU time used, in whole seconds',
    type: MetricType.COUNTER,
    labels: CONTAINER_LABELS,
    value: ({ cpu }) => cpu?.usageCoreNanoSeconds && cpu.usageCoreNanoSeconds.value / 1_000_000_000n,
  },
  {
    name: 'container_memory_working_set_bytes',
    help: 'Working set in bytes',
    type: MetricType.GAUGE,
    labels: CONTAINER_LABELS,
    value: ({ memory }) => memory?.workingSetBytes?.value,
  },
  {
    name: 'container_memory_usage_bytes',
    help: 'Memory in use in bytes, the cache included',
    type: MetricType.GAUGE,
    labels: CONTAINER_LABELS,
    value: ({ memory }) => memory?.usageBytes?.value,
  },
  {
    name: 'container_memory_rss',
    help: 'Resident set in bytes',
    type: MetricType.GAUGE,
    labels: CONTAINER_LABELS,
    value: ({ memory }) => memory?.rssBytes?.value,
  },
  {
    name: 'container_fs_usage_bytes',
    help: 'Bytes in the writable layer',
    type: MetricType.GAUGE,
    labels: CONTAINER_LABELS,
    value: ({ writableLayer }) => writableLayer?.usedBytes?.value,
  },
];

/** Descriptors of the metrics of {@link sandboxMetrics}. */
export function metricDescriptors(): MetricDescriptor[] {
  return [...POD_METRICS, ...CONTAINER_METRICS].map(({ name, help, labels }) =>
    create(MetricDescriptorSchema, { name, help, labelKeys: [...labels] }),
  );
}

/** Returns the metrics of a pod and its running containers, with the numbers of its statistics. */
export function sandboxMetrics(stats: PodSandboxStats): PodSandboxMetrics {
  const podSandboxId = stats.attributes!.id;
  const timestamp = stats.linux!.cpu!.timestamp;
  return create(PodSandboxMetricsSchema, {
    podSandboxId,
    metrics: measure(POD_METRICS, stats, timestamp, [podSandboxId, 'eth0']),
    containerMetrics: stats.linux!.containers.map((container) => {
      const { id, metadata } = container.attributes!;
      return { containerId: id, metrics: measure(CONTAINER_METRICS, container, timestamp, [id, metadata!.name]) };
    }),
  });
}

function measure<S>(
  definitions: readonly Definition<S>[],
  stats: S,
  timestamp: bigint,
  labelValues: string[],
): Metric[] {
  return definitions.flatMap(({ name, type, value }) => {
    const measured = value(stats);
    if (measured === undefined) return [];
    return [create(MetricSchema, { name, timestamp, metricType: type, labelValues, value: { value: measured } })];
  });
}
