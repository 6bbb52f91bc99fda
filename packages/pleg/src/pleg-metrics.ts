import type { Metrics } from '@rxlet/component-base';
import type { RuntimePod } from '@rxlet/pod-model';

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The generator's metrics, under the kubelet's names. */
export interface PlegMetrics {
  /** A full relist began, at a monotonic time in milliseconds. */
  relistBegan(atMs: number): void;
  /** The relist that began last has ended well and seen `pods`. */
  relistEnded(atMs: number, pods: readonly RuntimePod[]): void;
}

/** Registers the metrics. */
export function createPlegMetrics(metrics: Metrics): PlegMetrics {
  const duration = metrics.histogram({
    name: 'kubelet_pleg_relist_duration_seconds',
    help: 'Duration of a relist of all pods.',
    buckets: SECONDS_BUCKETS,
  });
  const interval = metrics.histogram({
    name: 'kubelet_pleg_relist_interval_seconds',
    help: 'Time between the beginnings of two relists.',
    buckets: SECONDS_BUCKETS,
  });
  const runningPods = metrics.gauge({ name: 'kubelet_running_pods', help: 'Pods that have a running sandbox.' });
  const containers = metrics.gauge({
    name: 'kubelet_running_containers',
    help: 'Containers by state.',
    labelNames: ['container_state'],
  });
  let beganMs: number | undefined;
  return {
    relistBegan(atMs) {
      if (beganMs !== undefined) interval.observe((atMs - beganMs) / 1000);
      beganMs = atMs;
    },
    relistEnded(atMs, pods) {
      duration.observe((atMs - (beganMs ?? atMs)) / 1000);
      const counts = { created: 0, running: 0, exited: 0, unknown: 0 };
      let running = 0;
      for (const pod of pods) {
        if (pod.sandboxes.some(({ state }) => state === 'ready')) running += 1;
        for (const { state } of pod.containers) counts[state] += 1;
      }
      runningPods.set(running);
      for (const [state, count] of Object.entries(counts)) containers.set(count, { container_state: state });
    },
  };
}
