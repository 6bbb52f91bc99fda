import type { Metrics } from '@rxlet/component-base/metrics';
import type { RuntimePod } from '@rxlet/pod-model/runtime';

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the generator, under the kubelet's names where it has them. */
export interface PlegMetrics {
  /** Records that a full relist began, at a monotonic time in milliseconds. */
  relistBegan(atMs: number): void;
  /** Records that the last relist succeeded, at a monotonic time and a wall time in milliseconds, and listed `pods`. */
  relistEnded(atMs: number, nowMs: number, pods: readonly RuntimePod[]): void;
  /** Records that the last relist failed. */
  relistFailed(): void;
  /** Records a relist of one pod. */
  podRelisted(durationMs: number): void;
  /** Records that the stream of hints was opened. */
  hintsConnected(latencySeconds: number): void;
  /** Records that the stream of hints could not be opened, or was lost. */
  hintsFailed(): void;
}

/** Registers the metrics. `monotonicNow` gives the age of a relist in flight when the metrics are read. */
export function createPlegMetrics(metrics: Metrics, monotonicNow: () => number): PlegMetrics {
  const seconds = (name: string, help: string) => metrics.histogram({ name, help, buckets: SECONDS_BUCKETS });
  const duration = seconds(
    'kubelet_pleg_relist_duration_seconds',
    '[ALPHA] Duration in seconds for relisting pods in PLEG.',
  );
  const podDuration = seconds(
    'kubelet_pleg_pod_relist_duration_seconds',
    '[ALPHA] Duration in seconds for relisting a single pod in PLEG.',
  );
  const interval = seconds(
    'kubelet_pleg_relist_interval_seconds',
    '[ALPHA] Interval in seconds between relisting in PLEG.',
  );
  const lastSeen = metrics.gauge({
    name: 'kubelet_pleg_last_seen_seconds',
    help: '[ALPHA] Timestamp in seconds when PLEG was last seen active.',
  });
  let beganMs: number | undefined;
  let inFlight = false;
  metrics.gauge({
    name: 'rxlet_pleg_relist_in_flight_seconds',
    help: 'Age of the relist in flight; 0 when there is none. It grows while a relist hangs, while no duration is observed.',
    read: () => (inFlight ? (monotonicNow() - (beganMs ?? 0)) / 1000 : 0),
  });
  const runningPods = metrics.gauge({
    name: 'kubelet_running_pods',
    help: '[ALPHA] Number of pods that have a running pod sandbox',
  });
  const containers = metrics.gauge({
    name: 'kubelet_running_containers',
    help: '[ALPHA] Number of containers currently running',
    labelNames: ['container_state'],
  });
  const connected = metrics.counter({
    name: 'kubelet_evented_pleg_connection_success_count',
    help: '[ALPHA] The number of times a streaming client was obtained to receive CRI Events.',
  });
  const failed = metrics.counter({
    name: 'kubelet_evented_pleg_connection_error_count',
    help: '[ALPHA] The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
  });
  const latency = seconds(
    'kubelet_evented_pleg_connection_latency_seconds',
    '[ALPHA] The latency of streaming connection with the CRI runtime, measured in seconds.',
  );
  return {
    relistBegan(atMs) {
      if (beganMs !== undefined) interval.observe((atMs - beganMs) / 1000);
      beganMs = atMs;
      inFlight = true;
    },
    relistEnded(atMs, nowMs, pods) {
      inFlight = false;
      duration.observe((atMs - (beganMs ?? atMs)) / 1000);
      lastSeen.set(nowMs / 1000);
      const counts = { created: 0, running: 0, exited: 0, unknown: 0 };
      let running = 0;
      for (const pod of pods) {
        if (pod.sandboxes.some(({ state }) => state === 'ready')) running += 1;
        for (const { state } of pod.containers) counts[state] += 1;
      }
      runningPods.set(running);
      for (const [state, count] of Object.entries(counts)) containers.set(count, { container_state: state });
    },
    relistFailed() {
      inFlight = false;
    },
    podRelisted: (durationMs) => podDuration.observe(durationMs / 1000),
    hintsConnected(latencySeconds) {
      connected.inc();
      latency.observe(latencySeconds);
    },
    hintsFailed: () => failed.inc(),
  };
}
