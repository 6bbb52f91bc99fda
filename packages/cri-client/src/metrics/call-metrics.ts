import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';

/** The kubelet's names for the RPCs, as the label `operation_type` has them. Streamed lists count as the lists they replace. */
const OPERATION_TYPES: Readonly<Record<string, string>> = {
  Version: 'version',
  RunPodSandbox: 'run_podsandbox',
  StopPodSandbox: 'stop_podsandbox',
  RemovePodSandbox: 'remove_podsandbox',
  PodSandboxStatus: 'podsandbox_status',
  ListPodSandbox: 'list_podsandbox',
  StreamPodSandboxes: 'list_podsandbox',
  CreateContainer: 'create_container',
  StartContainer: 'start_container',
  StopContainer: 'stop_container',
  RemoveContainer: 'remove_container',
  ListContainers: 'list_containers',
  StreamContainers: 'list_containers',
  ContainerStatus: 'container_status',
  UpdateContainerResources: 'update_container',
  ReopenContainerLog: 'reopen_container_log',
  ExecSync: 'exec_sync',
  Exec: 'exec',
  Attach: 'attach',
  PortForward: 'port_forward',
  ContainerStats: 'container_stats',
  ListContainerStats: 'list_container_stats',
  StreamContainerStats: 'list_container_stats',
  PodSandboxStats: 'podsandbox_stats',
  ListPodSandboxStats: 'list_podsandbox_stats',
  StreamPodSandboxStats: 'list_podsandbox_stats',
  UpdateRuntimeConfig: 'update_runtime_config',
  Status: 'status',
  CheckpointContainer: 'checkpoint_container',
  GetContainerEvents: 'get_container_events',
  ListMetricDescriptors: 'list_metric_descriptors',
  ListPodSandboxMetrics: 'list_podsandbox_metrics',
  StreamPodSandboxMetrics: 'list_podsandbox_metrics',
  RuntimeConfig: 'runtime_config',
  UpdatePodSandboxResources: 'update_podsandbox_resources',
  ListImages: 'list_images',
  StreamImages: 'list_images',
  ImageStatus: 'image_status',
  PullImage: 'pull_image',
  RemoveImage: 'remove_image',
  ImageFsInfo: 'image_fs_info',
};

/** From 5 ms in 14 steps of 2.5 to 12 minutes, as the kubelet has them. */
const DURATION_BUCKETS = Array.from({ length: 14 }, (_, step) => 0.005 * 2.5 ** step);

/** The kubelet's `operation_type` of an RPC. */
export function operationType(method: string): string {
  return OPERATION_TYPES[method] ?? method;
}

/** Notes one call that ended. */
export type CallRecorder = (startedMs: number, failed: boolean) => void;

/** Makes the recorder of each method. Times are those of {@link Clock.monotonicNow}. */
export function createCallMetrics(metrics: Metrics, clock: Clock): (method: string) => CallRecorder {
  const labelNames = ['operation_type'];
  const operations = metrics.counter({
    name: 'kubelet_runtime_operations_total',
    help: '[ALPHA] Cumulative number of runtime operations by operation type.',
    labelNames,
  });
  const failures = metrics.counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: '[ALPHA] Cumulative number of runtime operation errors by operation type.',
    labelNames,
  });
  const durations = metrics.histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: '[ALPHA] Duration in seconds of runtime operations. Broken down by operation type.',
    labelNames,
    buckets: DURATION_BUCKETS,
  });
  return (method) => {
    const labels = { operation_type: operationType(method) };
    return (startedMs, failed) => {
      operations.inc(labels);
      if (failed) failures.inc(labels);
      durations.observe((clock.monotonicNow() - startedMs) / 1000, labels);
    };
  };
}
