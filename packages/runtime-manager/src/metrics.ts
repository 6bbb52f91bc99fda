import type { Counter, Histogram, Metrics } from '@rxlet/component-base';

/** What the manager counts, by the kubelet's names. */
export interface ManagerMetrics {
  readonly startedPods: Counter;
  readonly startedPodErrors: Counter;
  readonly runSandboxSeconds: Histogram;
  readonly runSandboxErrors: Counter;
  readonly startedContainers: Counter;
  readonly startedContainerErrors: Counter;
  readonly podResizeMilliseconds: Histogram;
}

/** Prometheus' default buckets, in seconds. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** In milliseconds. */
const resizeBuckets: readonly number[] = [
  10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

/** Registers the manager's metrics. */
export function managerMetrics(metrics: Metrics): ManagerMetrics {
  return {
    startedPods: metrics.counter({ name: 'kubelet_started_pods_total', help: 'Cumulative number of pods started' }),
    startedPodErrors: metrics.counter({
      name: 'kubelet_started_pods_errors_total',
      help: 'Cumulative number of errors when starting pods',
    }),
    runSandboxSeconds: metrics.histogram({
      name: 'kubelet_run_podsandbox_duration_seconds',
      help: 'Duration in seconds of the run_podsandbox operations',
      labelNames: ['runtime_handler'],
      buckets: defaultBuckets,
    }),
    runSandboxErrors: metrics.counter({
      name: 'kubelet_run_podsandbox_errors_total',
      help: 'Cumulative number of the run_podsandbox operation errors',
      labelNames: ['runtime_handler'],
    }),
    startedContainers: metrics.counter({
      name: 'kubelet_started_containers_total',
      help: 'Cumulative number of containers started',
      labelNames: ['container_type'],
    }),
    startedContainerErrors: metrics.counter({
      name: 'kubelet_started_containers_errors_total',
      help: 'Cumulative number of errors when starting containers',
      labelNames: ['container_type', 'code'],
    }),
    podResizeMilliseconds: metrics.histogram({
      name: 'kubelet_pod_resize_duration_milliseconds',
      help: 'Duration in milliseconds to actuate pod resizes',
      labelNames: ['success'],
      buckets: resizeBuckets,
    }),
  };
}
