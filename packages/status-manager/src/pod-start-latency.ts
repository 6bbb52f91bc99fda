import type { Clock } from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar, isStaticPod, isTerminalPhase, PodAnnotation, podUid } from '@rxlet/pod-model';

/**
 * Measures the start latency of pods as the kubelet does.
 *
 * The service level `kubelet_pod_start_sli_duration_seconds` covers pods from the API: from their creation until the API shows all their containers started, without
 * the time for image pulls and init containers. Static pods have none.
 */
export interface PodStartLatency {
  /** Handles a new or changed pod from the API. A pod that was started before the agent is not measured. */
  observedOnWatch(pod: Pod): void;
  imagePullStarted(podUid: string): void;
  /** Must be called once for each start of a pull, whatever its outcome. */
  imagePullFinished(podUid: string): void;
  /** Handles a generated status; `before` is the previous one. Measures `kubelet_pod_start_duration_seconds`, from when the node first saw the pod. */
  statusGenerated(pod: Pod, before: PodStatus | undefined, after: PodStatus): void;
  /** Handles a published status; see `StatusManager.published$`. */
  statusPublished(pod: Pod, status: PodStatus): void;
  /** Forgets a pod. */
  forget(podUid: string): void;
  /** Number of measured pods. */
  readonly size: number;
}

/** Ports of {@link createPodStartLatency}. */
export interface PodStartLatencyPorts {
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
}

interface Start {
  /** Time during which at least one image was being pulled, without pulls in progress. */
  pulledMs: number;
  pulls: number;
  pullingSinceMs: number;
  initMs: number;
  /** End of the last run counted in {@link initMs}, by init container, on the wall clock. */
  readonly initsUntilMs: Map<string, number>;
  /** Whether a status with all containers started was published. */
  published: boolean;
  recorded: boolean;
}

const SECONDS = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

/** Creates a {@link PodStartLatency}. It holds a few numbers for each pod until the pod is forgotten or its phase is terminal. */
export function createPodStartLatency(ports: PodStartLatencyPorts): PodStartLatency {
  const { clock, metrics = noopMetrics } = ports;
  const histogram = (name: string, help: string) => metrics.histogram({ name, help, buckets: SECONDS });
  const startDuration = histogram(
    'kubelet_pod_start_duration_seconds',
    '[ALPHA] Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
  );
  const sliDuration = histogram(
    'kubelet_pod_start_sli_duration_seconds',
    '[ALPHA] Duration in seconds to start a pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
  );
  const totalDuration = histogram(
    'kubelet_pod_start_total_duration_seconds',
    '[ALPHA] Duration in seconds to start a pod since creation, including time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
  );
  const firstNetworkPod = metrics.gauge({
    name: 'kubelet_first_network_pod_start_sli_duration_seconds',
    help: '[INTERNAL] Duration in seconds to start the first network pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
  });
  const starts = new Map<string, Start>();
  let networkPodSeen = false;

  const record = (pod: Pod, start: Start): void => {
    const totalMs = clock.now() - Date.parse(pod.metadata?.creationTimestamp ?? '');
    start.recorded = true;
    if (!Number.isFinite(totalMs)) return;
    // The wall clock may have been set back.
    const sliSeconds = Math.max(0, totalMs - start.pulledMs - start.initMs) / 1000;
    sliDuration.observe(sliSeconds);
    totalDuration.observe(Math.max(0, totalMs) / 1000);
    if (networkPodSeen || pod.spec?.hostNetwork === true) return;
    networkPodSeen = true;
    firstNetworkPod.set(sliSeconds);
  };

  return {
    observedOnWatch(pod) {
      const uid = podUid(pod);
      if (isTerminalPhase(pod.status?.phase)) {
        starts.delete(uid);
        return;
      }
      const start = starts.get(uid);
      if (start === undefined) {
        if (isStaticPod(pod) || pod.status?.startTime !== undefined) return;
        starts.set(uid, newStart());
      } else if (start.published && !start.recorded && hasStarted(pod.status)) {
        record(pod, start);
      }
    },
    imagePullStarted(podUid) {
      const start = starts.get(podUid);
      if (start === undefined) return;
      if (start.pulls === 0) start.pullingSinceMs = clock.monotonicNow();
      start.pulls += 1;
    },
    imagePullFinished(podUid) {
      const start = starts.get(podUid);
      if (start === undefined || start.pulls === 0) return;
      start.pulls -= 1;
      if (start.pulls === 0) start.pulledMs += clock.monotonicNow() - start.pullingSinceMs;
    },
    statusGenerated(pod, before, after) {
      const seenMs = Date.parse(pod.metadata?.annotations?.[PodAnnotation.configSeen] ?? '');
      const starts = before === undefined || (before.phase === 'Pending' && after.phase === 'Running');
      if (starts && Number.isFinite(seenMs)) startDuration.observe(Math.max(0, clock.now() - seenMs) / 1000);
    },
    statusPublished(pod, status) {
      const start = starts.get(podUid(pod));
      if (start === undefined || start.published) return;
      countInitContainers(pod, status, start);
      start.published = hasStarted(status);
    },
    forget: (podUid) => void starts.delete(podUid),
    get size() {
      return starts.size;
    },
  };
}

function newStart(): Start {
  return {
    pulledMs: 0,
    pulls: 0,
    pullingSinceMs: 0,
    initMs: 0,
    initsUntilMs: new Map(),
    published: false,
    recorded: false,
  };
}

/** Reports whether every regular container has started. */
function hasStarted(status: PodStatus | undefined): boolean {
  const containers = status?.containerStatuses ?? [];
  return containers.length > 0 && containers.every(({ state }) => state?.running?.startedAt !== undefined);
}

/** Adds the runs of init containers that ended since the last call. Sidecars do not delay the start. */
function countInitContainers(pod: Pod, status: PodStatus, start: Start): void {
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  for (const { name, state, lastState } of status.initContainerStatuses ?? ([] as readonly ContainerStatus[])) {
    if (sidecars.has(name)) continue;
    for (const run of [lastState?.terminated, state?.terminated]) {
      const finishedMs = Date.parse(run?.finishedAt ?? '');
      const ranMs = finishedMs - Date.parse(run?.startedAt ?? '');
      if (!(ranMs > 0) || finishedMs <= (start.initsUntilMs.get(name) ?? -Infinity)) continue;
      start.initsUntilMs.set(name, finishedMs);
      start.initMs += ranMs;
    }
  }
}
