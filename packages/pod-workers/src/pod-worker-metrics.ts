import type { Metrics } from '@rxlet/component-base';
import { isStaticPod } from '@rxlet/pod-model';
import type { PodWorkerState } from './pod-worker-state.ts';
import type { StepCause, Worker } from './worker.ts';

/** The workers' metrics, under the kubelet's names where it has them. */
export interface PodWorkerMetrics {
  /** A step ended that had been asked for `durationMs` ago. */
  stepEnded(state: PodWorkerState, cause: StepCause, durationMs: number): void;
  /** The first sync of a pod began, `waitMs` after the pod was seen. */
  podStarted(waitMs: number, containers: number): void;
  /** What the runtime holds of a pod that nobody knows is to end. */
  runtimePodOrphaned(): void;
  /** A pod that came back under its UID begins another life. */
  podRestarted(isStatic: boolean): void;
  /** Who is worked for, as of now. */
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

/** The operations of pods that end have a name of their own; the others are told by what asked for them. */
const STEP_OF_STATE: Readonly<Partial<Record<PodWorkerState['kind'], string>>> = {
  terminating: 'kill',
  terminated: 'terminated',
};

/** All series of `kubelet_working_pods`, so that those without a pod are told as 0. */
const WORKING_PODS = ['sync', 'terminating', 'terminated'].flatMap((lifecycle) =>
  [
    ['desired', ''],
    ['desired', 'true'],
    ['orphan', ''],
    ['orphan', 'true'],
    ['runtime_only', 'unknown'],
  ].map(([config = '', isStatic = '']) => ({ lifecycle, config, static: isStatic })),
);

/** Registers the metrics. `oldestStepMs` tells the age of the oldest running step, 0 without one, when somebody reads it. */
export function createPodWorkerMetrics(metrics: Metrics, oldestStepMs: () => number): PodWorkerMetrics {
  const duration = metrics.histogram({
    name: 'kubelet_pod_worker_duration_seconds',
    help: 'Time from a wish to look at a pod to the end of the step that did, by type of operation.',
    labelNames: ['operation_type'],
    buckets: SECONDS_BUCKETS,
  });
  const start = metrics.histogram({
    name: 'kubelet_pod_worker_start_duration_seconds',
    help: 'Time from when a pod was seen to the beginning of its first sync.',
    buckets: SECONDS_BUCKETS,
  });
  const containersPerPod = metrics.histogram({
    name: 'kubelet_containers_per_pod_count',
    help: 'Number of containers of the pods that were started.',
    buckets: [1, 2, 4, 8, 16],
  });
  const orphaned = metrics.counter({
    name: 'kubelet_orphaned_runtime_pods_total',
    help: 'Pods that only the runtime knew and that had to end.',
  });
  const restarted = metrics.counter({
    name: 'kubelet_restarted_pods_total',
    help: 'Pods that were deleted and came back under the same UID, by whether they are static.',
    labelNames: ['static'],
  });
  const working = metrics.gauge({
    name: 'kubelet_working_pods',
    help: 'Pods that are worked for, by where their life stands, by who knows them, and by whether they are static.',
    labelNames: ['lifecycle', 'config', 'static'],
  });
  metrics.gauge({
    name: 'rxlet_pod_worker_oldest_step_seconds',
    help: 'Age of the oldest step that runs for a pod; 0 when there is none. It grows while a step hangs, when durations are silent.',
    read: () => oldestStepMs() / 1000,
  });
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
        const key = Object.values(labelsOf(worker)).join();
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      for (const labels of WORKING_PODS) working.set(counts.get(Object.values(labels).join()) ?? 0, labels);
    },
  };
}

function labelsOf({ state, subject, orphan }: Worker): (typeof WORKING_PODS)[number] {
  const lifecycle = LIFECYCLE[state.kind];
  if (subject.kind === 'runtime') return { lifecycle, config: 'runtime_only', static: 'unknown' };
  return { lifecycle, config: orphan ? 'orphan' : 'desired', static: isStaticPod(subject.pod) ? 'true' : '' };
}
