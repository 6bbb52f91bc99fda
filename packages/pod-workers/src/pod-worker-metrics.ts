import type { Metrics } from '@rxlet/component-base/metrics';
import { isStaticPod } from '@rxlet/pod-model';
import type { PodWorkerState } from './pod-worker-state.ts';
import type { StepCause, Worker } from './worker.ts';

/** The workers' metrics, under the kubelet's names where it has them. */
export interface PodWorkerMetrics {
  /** Records the end of a step that was requested `durationMs` ago. */
  stepEnded(state: PodWorkerState, cause: StepCause, durationMs: number): void;
  /** Records the first sync of a pod, `waitMs` after the pod was added. */
  podStarted(waitMs: number, containers: number): void;
  /** Counts an orphaned pod that must terminate. */
  runtimePodOrphaned(): void;
  /** Counts a pod that starts again under its UID. */
  podRestarted(isStatic: boolean): void;
  /** Sets the number of known pods. */
  counted(workers: Iterable<Worker>): void;
}

const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const LIFECYCLE: Readonly<Record<PodWorkerState['kind'], string>> = {
  waiting: 'sync',
  syncing: 'sync',
  terminating: 'terminating',
  terminated: 'terminated',
  finished: 'terminated',
};

/** Names of the operations of terminating pods; the others are named by their cause. */
const STEP_OF_STATE: Readonly<Partial<Record<PodWorkerState['kind'], string>>> = {
  terminating: 'kill',
  terminated: 'terminated',
};

/** All series of `kubelet_working_pods`, so that those without a pod are 0. */
const WORKING_PODS = ['sync', 'terminating', 'terminated']
  .flatMap((lifecycle) =>
    [
      ['desired', ''],
      ['desired', 'true'],
      ['orphan', ''],
      ['orphan', 'true'],
      ['runtime_only', 'unknown'],
    ].map(([config = '', isStatic = '']) => ({ lifecycle, config, static: isStatic })),
  )
  .map((labels) => ({ key: keyOf(labels), labels }));

/** Registers the metrics. `oldestStepMs` returns the age of the oldest running step, 0 without one; it is called at each scrape. */
export function createPodWorkerMetrics(metrics: Metrics, oldestStepMs: () => number): PodWorkerMetrics {
  const duration = metrics.histogram({
    name: 'kubelet_pod_worker_duration_seconds',
    help: '[ALPHA] Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync',
    labelNames: ['operation_type'],
    buckets: SECONDS_BUCKETS,
  });
  const start = metrics.histogram({
    name: 'kubelet_pod_worker_start_duration_seconds',
    help: '[ALPHA] Duration in seconds from kubelet seeing a pod to starting a worker.',
    buckets: SECONDS_BUCKETS,
  });
  const containersPerPod = metrics.histogram({
    name: 'kubelet_containers_per_pod_count',
    help: '[ALPHA] The number of containers per pod.',
    buckets: [1, 2, 4, 8, 16],
  });
  const orphaned = metrics.counter({
    name: 'kubelet_orphaned_runtime_pods_total',
    help: '[ALPHA] Number of pods that have been detected in the container runtime without being already known to the pod worker. This typically indicates the kubelet was restarted while a pod was force deleted in the API or in the local configuration, which is unusual.',
  });
  const restarted = metrics.counter({
    name: 'kubelet_restarted_pods_total',
    help: '[ALPHA] Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)',
    labelNames: ['static'],
  });
  const working = metrics.gauge({
    name: 'kubelet_working_pods',
    help: '[ALPHA] Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static. An orphaned pod has been removed from local configuration or force deleted in the API and consumes resources that are not otherwise visible.',
    labelNames: ['lifecycle', 'config', 'static'],
  });
  metrics.gauge({
    name: 'rxlet_pod_worker_oldest_step_seconds',
    help: 'Age of the oldest running step of a pod; 0 without one. It grows while a step hangs.',
    read: () => oldestStepMs() / 1000,
  });
  /** Last values of `kubelet_working_pods`. */
  const shown = new Map<string, number>();
  return {
    stepEnded(state, cause, durationMs) {
      const operation = STEP_OF_STATE[state.kind] ?? cause;
      duration.observe(durationMs / 1000, { operation_type: operation });
    },
    podStarted(waitMs, containers) {
      start.observe(waitMs / 1000);
      containersPerPod.observe(containers);
    },
    runtimePodOrphaned: () => orphaned.inc(),
    podRestarted: (isStatic) => restarted.inc({ static: isStatic ? 'true' : '' }),
    counted(workers) {
      const counts = new Map<string, number>();
      for (const worker of workers) {
        const key = keyOf(labelsOf(worker));
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      for (const { key, labels } of WORKING_PODS) {
        const count = counts.get(key) ?? 0;
        // Housekeeping counts all the time, and the numbers are nearly always those of before.
        if (shown.get(key) === count) continue;
        shown.set(key, count);
        working.set(count, labels);
      }
    },
  };
}

/** Labels of `kubelet_working_pods`. */
interface WorkingPodLabels {
  readonly lifecycle: string;
  readonly config: string;
  readonly static: string;
}

function keyOf(labels: WorkingPodLabels): string {
  return `${labels.lifecycle} ${labels.config} ${labels.static}`;
}

function labelsOf({ state, subject, orphan }: Worker): WorkingPodLabels {
  const lifecycle = LIFECYCLE[state.kind];
  if (subject.kind === 'runtime') return { lifecycle, config: 'runtime_only', static: 'unknown' };
  return { lifecycle, config: orphan ? 'orphan' : 'desired', static: isStaticPod(subject.pod) ? 'true' : '' };
}
