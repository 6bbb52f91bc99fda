import { type Clock, type Metrics, noopMetrics } from '@rxlet/component-base';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar, isStaticPod, isTerminalPhase, PodAnnotation } from '@rxlet/pod-model';

/**
 * Measures how long pods take to start, as the kubelet does.
 *
 * The service level (`kubelet_pod_start_sli_duration_seconds`) is for a pod that the API sent: from its creation until the API shows all its containers
 * started, without the time that images were pulled and init containers ran, which is not the node's doing. Static pods have none.
 */
export interface PodStartLatency {
  /** The pod came from the API, for the first time or with changes. One that was started before the agent was is not measured. */
  observedOnWatch(pod: Pod): void;
  imagePullStarted(podUid: string): void;
  /** To be called once for each start, however the pull ended. */
  imagePullFinished(podUid: string): void;
  /** A status was generated, `before` being the one held until then: `kubelet_pod_start_duration_seconds`, since the node first saw the pod. */
  statusGenerated(pod: Pod, before: PodStatus | undefined, after: PodStatus): void;
  /** The API has taken a status; see `StatusManager.published$`. */
  statusPublished(pod: Pod, status: PodStatus): void;
  /** The pod is gone. */
  forget(podUid: string): void;
  /** How many pods are being measured. */
  readonly size: number;
}

/** What a {@link PodStartLatency} works with. */
export interface PodStartLatencyPorts {
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
}

interface Start {
  /** Time during which at least one image was being pulled, without that of the present pulls. */
  pulledMs: number;
  pulls: number;
  pullingSinceMs: number;
  initMs: number;
  /** When the last run ended that {@link initMs} has of each init container, by the container's name; on the wall clock. */
  readonly initsUntilMs: Map<string, number>;
  /** The API was told that all containers have started. */
  published: boolean;
  recorded: boolean;
}

const SECONDS = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

/** Creates a {@link PodStartLatency}. It holds a few numbers for each pod until that is forgotten, or has ended. */
export function createPodStartLatency(ports: PodStartLatencyPorts): PodStartLatency {
  const { clock, metrics = noopMetrics } = ports;
  const histogram = (name: string, help: string) => metrics.histogram({ name, help, buckets: SECONDS });
  const startDuration = histogram(
    'kubelet_pod_start_duration_seconds',
    'Time from when the node first saw a pod until it was running.',
  );
  const sliDuration = histogram(
    'kubelet_pod_start_sli_duration_seconds',
    'Time from the creation of a pod until its containers were seen started, without image pulls and init containers.',
  );
  const totalDuration = histogram(
    'kubelet_pod_start_total_duration_seconds',
    'Time from the creation of a pod until its containers were seen started.',
  );
  const firstNetworkPod = metrics.gauge({
    name: 'kubelet_first_network_pod_start_sli_duration_seconds',
    help: 'The kubelet_pod_start_sli_duration_seconds of the first pod with a network of its own.',
  });
  const starts = new Map<string, Start>();
  let networkPodSeen = false;

  const record = (pod: Pod, start: Start): void => {
    const totalMs = clock.now() - Date.parse(pod.metadata?.creationTimestamp ?? '');
    start.recorded = true;
    if (!Number.isFinite(totalMs)) return;
    // A wall clock that was set must not make a time negative.
    const sliSeconds = Math.max(0, totalMs - start.pulledMs - start.initMs) / 1000;
    sliDuration.observe(sliSeconds);
    totalDuration.observe(Math.max(0, totalMs) / 1000);
    if (networkPodSeen || pod.spec?.hostNetwork === true) return;
    networkPodSeen = true;
    firstNetworkPod.set(sliSeconds);
  };

  return {
    observedOnWatch(pod) {
      const podUid = uidOf(pod);
      if (isTerminalPhase(pod.status?.phase)) {
        starts.delete(podUid);
        return;
      }
      const start = starts.get(podUid);
      if (start === undefined) {
        if (isStaticPod(pod) || pod.status?.startTime !== undefined) return;
        starts.set(podUid, newStart());
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
      const start = starts.get(uidOf(pod));
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

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

/** Whether every regular container has been started. */
function hasStarted(status: PodStatus | undefined): boolean {
  const containers = status?.containerStatuses ?? [];
  return containers.length > 0 && containers.every(({ state }) => state?.running?.startedAt !== undefined);
}

/** Adds the runs of init containers that have ended since the last time; sidecars do not hold up anything. */
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
