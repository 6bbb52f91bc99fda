import type { EndpointResponse } from '@rxlet/agent-api/http';
import type { Summary } from '../summary/summary-types.ts';
import { formatMetrics, METRICS_CONTENT_TYPE, type MetricFamily, type MetricSample } from './exposition.ts';

const NANOSECONDS_PER_SECOND = 1e9;

/** Returns the answer of `/metrics/resource` for a summary, of which `kubectl top` shows the figures. */
export function resourceMetricsResponse(summary: Summary): EndpointResponse {
  return { contentType: METRICS_CONTENT_TYPE, body: formatMetrics(resourceMetrics(summary)) };
}

/** Metrics of `/metrics/resource`: CPU, memory and swap of node, pods and containers. */
export function resourceMetrics(summary: Summary | undefined): readonly MetricFamily[] {
  const errors: readonly MetricFamily[] = [
    {
      ...gauge(
        'resource_scrape_error',
        'STABLE',
        '1 if there was an error while getting container metrics, 0 otherwise',
      ),
      samples: [{ value: summary === undefined ? 1 : 0 }],
    },
  ];
  if (summary === undefined) return errors;
  const { node, pods } = summary;
  const podLabels = pods.map((pod) => ({ pod, labels: { namespace: pod.podRef.namespace, pod: pod.podRef.name } }));
  const containers = podLabels.flatMap(({ pod, labels }) =>
    (pod.containers ?? []).map((container) => ({ container, labels: { container: container.name, ...labels } })),
  );
  return [
    {
      ...counter('node_cpu_usage_seconds_total', 'STABLE', 'Cumulative cpu time consumed by the node in core-seconds'),
      samples: known(cpuSeconds(node.cpu)),
    },
    {
      ...gauge('node_memory_working_set_bytes', 'STABLE', 'Current working set of the node in bytes'),
      samples: known(amount(node.memory, 'workingSetBytes')),
    },
    {
      ...gauge('node_swap_usage_bytes', 'ALPHA', `Current swap usage of the node in bytes. ${NOT_WINDOWS}`),
      samples: known(amount(node.swap, 'swapUsageBytes')),
    },
    {
      ...gauge('container_start_time_seconds', 'STABLE', 'Start time of the container since unix epoch in seconds'),
      samples: containers.flatMap(({ container: { startTime }, labels }) =>
        startTime > 0 ? [{ labels, value: startTime / 1000 }] : [],
      ),
    },
    {
      ...counter(
        'container_cpu_usage_seconds_total',
        'STABLE',
        'Cumulative cpu time consumed by the container in core-seconds',
      ),
      samples: containers.flatMap(({ container, labels }) => known(cpuSeconds(container.cpu), labels)),
    },
    {
      ...gauge('container_memory_working_set_bytes', 'STABLE', 'Current working set of the container in bytes'),
      samples: containers.flatMap(({ container, labels }) =>
        known(amount(container.memory, 'workingSetBytes'), labels),
      ),
    },
    {
      ...gauge(
        'container_swap_usage_bytes',
        'ALPHA',
        `Current amount of the container swap usage in bytes. ${NOT_WINDOWS}`,
      ),
      samples: containers.flatMap(({ container, labels }) => known(amount(container.swap, 'swapUsageBytes'), labels)),
    },
    {
      ...gauge(
        'container_swap_limit_bytes',
        'ALPHA',
        `Current amount of the container swap limit in bytes. ${NOT_WINDOWS}`,
      ),
      samples: containers.flatMap(({ container: { swap }, labels }) =>
        swap?.swapAvailableBytes === undefined
          ? []
          : [{ labels, value: swap.swapAvailableBytes + (swap.swapUsageBytes ?? 0), timeMs: swap.time }],
      ),
    },
    {
      ...counter('pod_cpu_usage_seconds_total', 'STABLE', 'Cumulative cpu time consumed by the pod in core-seconds'),
      samples: podLabels.flatMap(({ pod, labels }) => known(cpuSeconds(pod.cpu), labels)),
    },
    {
      ...gauge('pod_memory_working_set_bytes', 'STABLE', 'Current working set of the pod in bytes'),
      samples: podLabels.flatMap(({ pod, labels }) => known(amount(pod.memory, 'workingSetBytes'), labels)),
    },
    {
      ...gauge('pod_swap_usage_bytes', 'ALPHA', `Current amount of the pod swap usage in bytes. ${NOT_WINDOWS}`),
      samples: podLabels.flatMap(({ pod, labels }) => known(amount(pod.swap, 'swapUsageBytes'), labels)),
    },
    ...errors,
  ];
}

const NOT_WINDOWS = 'Reported only on non-windows systems';

function counter(name: string, stability: string, help: string): Omit<MetricFamily, 'samples'> {
  return { name, type: 'counter', help: `[${stability}] ${help}` };
}

function gauge(name: string, stability: string, help: string): Omit<MetricFamily, 'samples'> {
  return { name, type: 'gauge', help: `[${stability}] ${help}` };
}

function known(sample: MetricSample | undefined, labels?: Readonly<Record<string, string>>): readonly MetricSample[] {
  return sample === undefined ? [] : [{ ...sample, ...(labels && { labels }) }];
}

function cpuSeconds(cpu: { time: number; usageCoreNanoSeconds?: number } | undefined): MetricSample | undefined {
  if (cpu?.usageCoreNanoSeconds === undefined) return undefined;
  return { value: cpu.usageCoreNanoSeconds / NANOSECONDS_PER_SECOND, timeMs: cpu.time };
}

function amount<K extends string>(
  stats: ({ readonly time: number } & { readonly [P in K]?: number }) | undefined,
  key: K,
): MetricSample | undefined {
  const value: number | undefined = stats?.[key];
  return stats === undefined || value === undefined ? undefined : { value, timeMs: stats.time };
}
