import type { Metrics } from '@rxlet/component-base';
import type { RuntimePod } from '@rxlet/pod-model';

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The generator's metrics, under the kubelet's names where it has them. */
export interface PlegMetrics {
  /** A full relist began, at a monotonic time in milliseconds. */
  relistBegan(atMs: number): void;
  /** The relist that began last has ended well, at a monotonic time and at a wall time in milliseconds, and seen `pods`. */
  relistEnded(atMs: number, nowMs: number, pods: readonly RuntimePod[]): void;
  /** The relist that began last has failed. */
  relistFailed(): void;
  /** A relist of one pod has ended. */
  podRelisted(durationMs: number): void;
  /** The stream of hints is open. */
  hintsConnected(latencySeconds: number): void;
  /** The stream of hints could not be opened, or was lost. */
  hintsFailed(): void;
}

/** Registers the metrics. `monotonicNow` tells the age of a relist in flight when somebody reads it. */
export function createPlegMetrics(metrics: Metrics, monotonicNow: () => number): PlegMetrics {
  const seconds = (name: string, help: string) => metrics.histogram({ name, help, buckets: SECONDS_BUCKETS });
  const duration = seconds('kubelet_pleg_relist_duration_seconds', 'Duration of a relist of all pods.');
  const podDuration = seconds('kubelet_pleg_pod_relist_duration_seconds', 'Duration of a relist of one pod.');
  const interval = seconds('kubelet_pleg_relist_interval_seconds', 'Time between the beginnings of two relists.');
  const lastSeen = metrics.gauge({
    name: 'kubelet_pleg_last_seen_seconds',
    help: 'When a relist last succeeded, in seconds since the epoch.',
  });
  let beganMs: number | undefined;
  let inFlight = false;
  metrics.gauge({
    name: 'rxlet_pleg_relist_in_flight_seconds',
    help: 'Age of the relist in flight; 0 when there is none. It grows while a relist hangs, when durations are silent.',
    read: () => (inFlight ? (monotonicNow() - (beganMs ?? 0)) / 1000 : 0),
  });
  const runningPods = metrics.gauge({ name: 'kubelet_running_pods', help: 'Pods that have a running sandbox.' });
  const containers = metrics.gauge({
    name: 'kubelet_running_containers',
    help: 'Containers by state.',
    labelNames: ['container_state'],
  });
  const connected = metrics.counter({
    name: 'kubelet_evented_pleg_connection_success_count',
    help: 'How often the stream of runtime events was opened.',
  });
  const failed = metrics.counter({
    name: 'kubelet_evented_pleg_connection_error_count',
    help: 'How often the stream of runtime events could not be opened or was lost.',
  });
  const latency = seconds(
    'kubelet_evented_pleg_connection_latency_seconds',
    'How long it took until the stream of runtime events was open.',
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
