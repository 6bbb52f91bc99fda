import type { Counter, Histogram, Metrics } from '@rxlet/component-base/metrics';

/** Metrics of the manager, with the kubelet's names. */
export interface ManagerMetrics {
  readonly startedPods: Counter;
  readonly startedPodErrors: Counter;
  readonly runSandboxSeconds: Histogram;
  readonly runSandboxErrors: Counter;
  readonly startedContainers: Counter;
  readonly startedContainerErrors: Counter;
  readonly startedUserNamespacePods: Counter;
  readonly startedUserNamespacePodErrors: Counter;
  readonly requestedImageVolumes: Counter;
  readonly mountedImageVolumes: Counter;
  readonly imageVolumeErrors: Counter;
  readonly podResizeMilliseconds: Histogram;
}

/** Prometheus' default buckets, in seconds. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Buckets of resize durations, in milliseconds. */
const resizeBuckets: readonly number[] = [
  10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

/** Registers the manager's metrics. */
export function managerMetrics(metrics: Metrics): ManagerMetrics {
  return {
    startedPods: metrics.counter({
      name: 'kubelet_started_pods_total',
      help: '[ALPHA] Cumulative number of pods started',
    }),
    startedPodErrors: metrics.counter({
      name: 'kubelet_started_pods_errors_total',
      help: '[ALPHA] Cumulative number of errors when starting pods',
    }),
    runSandboxSeconds: metrics.histogram({
      name: 'kubelet_run_podsandbox_duration_seconds',
      help: '[ALPHA] Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.',
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
      help: '[ALPHA] Cumulative number of containers started',
      labelNames: ['container_type'],
    }),
    startedContainerErrors: metrics.counter({
      name: 'kubelet_started_containers_errors_total',
      help: '[ALPHA] Cumulative number of errors when starting containers',
      labelNames: ['container_type', 'code'],
    }),
    startedUserNamespacePods: metrics.counter({
      name: 'kubelet_started_user_namespaced_pods_total',
      help: '[ALPHA] Cumulative number of pods with user namespaces started. This metric will only be collected on Linux.',
    }),
    startedUserNamespacePodErrors: metrics.counter({
      name: 'kubelet_started_user_namespaced_pods_errors_total',
      help: '[ALPHA] Cumulative number of errors when starting pods with user namespaces. This metric will only be collected on Linux.',
    }),
    requestedImageVolumes: metrics.counter({
      name: 'kubelet_image_volume_requested_total',
      help: '[BETA] Number of requested image volumes.',
    }),
    mountedImageVolumes: metrics.counter({
      name: 'kubelet_image_volume_mounted_succeed_total',
      help: '[BETA] Number of successful image volume mounts.',
    }),
    imageVolumeErrors: metrics.counter({
      name: 'kubelet_image_volume_mounted_errors_total',
      help: '[BETA] Number of failed image volume mounts.',
    }),
    podResizeMilliseconds: metrics.histogram({
      name: 'kubelet_pod_resize_duration_milliseconds',
      help: '[ALPHA] Duration in milliseconds to actuate a pod resize',
      labelNames: ['success'],
      buckets: resizeBuckets,
    }),
  };
}
