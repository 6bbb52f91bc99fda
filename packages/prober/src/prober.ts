import type { Observable } from 'rxjs';
import {
  type Clock,
  createDeadlineQueue,
  createLifetime,
  errorMessage,
  type EventRecorder,
  type Logger,
  type Metrics,
  noopLogger,
  type Random,
  withDeadline,
} from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { containerFieldPath, formatPod, parseContainerId, podEventObject } from '@rxlet/pod-model';
import { createProbeMetrics, type ProbeMeter } from './probe-metrics.ts';
import { ProbeError, type ProbeOutcome, type ProbeRunner } from './probe-runner.ts';
import {
  countResult,
  findContainerStatus,
  newProbeState,
  type ProbeState,
  probeStep,
  type ResultChange,
} from './probe-step.ts';
import { probeKindNames, type ProbeTarget, probeTargets } from './probe-target.ts';
import { createResultStore, type ProbeResultChange, type ProbeResults } from './result-store.ts';

/** What a prober needs from its surroundings. */
export interface ProberPorts {
  /** Runs the probes: `createProbeRunner`, or one of your own. */
  readonly runner: ProbeRunner;
  /** The pod's status at present, as the API shows it; `undefined` when there is none (yet, or any more). Asked at every turn of a probe. */
  podStatus(podUid: string): PodStatus | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createProber}. */
export interface ProberOptions {
  /** When the agent started, epoch milliseconds. Default: when the prober was created. Containers that are older keep what was reported of them until the first result. */
  readonly agentStartMs?: number;
}

/** Probes containers. Nothing runs before the first {@link Prober.addPod}. */
export interface Prober extends AsyncDisposable {
  /** Begins to probe the pod's containers, whether they are there yet or not. Probes that are there already go on, with the pod as it is now. */
  addPod(pod: Pod): void;
  /** Ends all probes of a pod; their results are forgotten. */
  removePod(podUid: string): void;
  /** Ends the probes of all pods but those. */
  retainPods(podUids: ReadonlySet<string>): void;
  /** To be called when a pod begins to terminate: readiness goes on being probed. */
  stopLivenessAndStartup(podUid: string): void;
  /**
   * To be called when a status of the pod has been generated and `podStatus` gives it: containers that have started and are not ready have their readiness
   * probed at once, and then every period from now on.
   */
  updateStatus(podUid: string): void;
  /**
   * Results that are not the same as the last of that container and kind, and the one that a probe begins with for a new container. Hot, without replay
   * (the snapshots are what was before); completes on disposal.
   */
  readonly results$: Observable<ProbeResultChange>;
  /** Last results of the liveness probes; a container is missing that has no such probe, or was there before the agent and has had no result yet. */
  livenessResults(): ProbeResults;
  readinessResults(): ProbeResults;
  startupResults(): ProbeResults;
  /** The last result of the readiness probe of a container, named as in a pod's status; `undefined` where {@link Prober.livenessResults} would lack it. */
  isReady(containerId: string): boolean | undefined;
  /** The same for the startup probe. */
  isStarted(containerId: string): boolean | undefined;
}

/** A probe at work. At most one run of it is under way, so that one that hangs delays itself only. */
interface Worker {
  target: ProbeTarget;
  state: ProbeState;
  readonly meter: ProbeMeter;
  readonly ended: AbortController;
  /** When the next turn is due, on the monotonic clock; `undefined` before the first. */
  nextTurnMs: number | undefined;
  running: boolean;
  /** A turn was asked for while the probe was running. */
  triggered: boolean;
}

/** Runs that come to no result are repeated in the same turn. */
const MAX_ATTEMPTS = 3;

/** Creates a {@link Prober}: liveness, readiness and startup probes with the kubelet's rules of time, counts and gating. */
export function createProber(ports: ProberPorts, options: ProberOptions = {}): Prober {
  const { runner, clock, random, events, logger = noopLogger } = ports;
  const agentStartMs = options.agentStartMs ?? clock.now();
  const createdMs = clock.monotonicNow();
  const lifetime = createLifetime();
  const meterOf = createProbeMetrics(ports.metrics);
  const results = createResultStore();
  /** Pod UID → container and kind → worker. */
  const pods = new Map<string, Map<string, Worker>>();
  const turns = createDeadlineQueue<Worker>(clock, (worker) => takeTurn(worker));
  lifetime.signal.addEventListener('abort', () => {
    for (const podUid of [...pods.keys()]) removePod(podUid);
    turns[Symbol.dispose]();
  });
  lifetime.defer(() => results.complete());

  const publish = ({ target, ended }: Worker, changes: readonly ResultChange[]): void => {
    const { kind, pod, container } = target;
    for (const { containerId, result } of changes) {
      // Whoever hears of a change may end the probe.
      if (ended.signal.aborted) return;
      if (result === undefined) results.delete(kind, containerId);
      else results.set({ podUid: uidOf(pod), container: container.name, containerId, kind, result });
    }
  };

  const record = ({ pod, container, containerKind, kind }: ProbeTarget, reason: string, text: string): void => {
    const object = podEventObject(pod, containerFieldPath(containerKind, container.name));
    const message = `${probeKindNames[kind]} ${text}`;
    events.event(object, 'Warning', reason, message);
    logger.debug(message, { pod: formatPod(pod), container: container.name });
  };

  const takeTurn = (worker: Worker): void => {
    const nowMs = clock.monotonicNow();
    const { periodMs } = worker.target.timing;
    const dueMs = worker.nextTurnMs ?? nowMs;
    // Turns stay on a grid of periods. Of those that a slow probe misses, one is made up for at once.
    worker.nextTurnMs = dueMs + periodMs * (Math.floor((nowMs - dueMs) / periodMs) + 1);
    const status = ports.podStatus(uidOf(worker.target.pod));
    const step = probeStep(worker.target, worker.state, { status, nowMs: clock.now(), agentStartMs });
    worker.state = step.state;
    publish(worker, step.changes);
    if (step.next === 'stop') end(worker);
    else if (step.next === 'probe' && !worker.ended.signal.aborted) void lifetime.track(probe(worker, status));
    else scheduleTurn(worker);
  };

  const scheduleTurn = (worker: Worker): void => {
    if (worker.ended.signal.aborted) return;
    if (worker.triggered) {
      worker.triggered = false;
      worker.nextTurnMs = clock.monotonicNow();
    }
    turns.set(worker, (worker.nextTurnMs ?? 0) - clock.monotonicNow());
  };

  const probe = async (worker: Worker, status: PodStatus | undefined): Promise<void> => {
    const { target, meter } = worker;
    const startMs = clock.monotonicNow();
    worker.running = true;
    try {
      const outcome = await attempt(worker, status);
      if (outcome === undefined || worker.ended.signal.aborted) return;
      if (outcome.result === 'failure') {
        record(target, 'Unhealthy', `probe failed: ${outcome.output}`);
        meter.failure();
      } else {
        if (outcome.result === 'warning') record(target, 'ProbeWarning', `probe warning: ${outcome.output}`);
        meter.success(clock.monotonicNow() - startMs);
      }
      const counted = countResult(target, worker.state, outcome.result === 'failure' ? 'failure' : 'success');
      worker.state = counted.state;
      publish(worker, counted.changes);
    } finally {
      worker.running = false;
      scheduleTurn(worker);
    }
  };

  /** The outcome of a probe; `undefined` when there is none, which has been reported then. */
  const attempt = async (worker: Worker, status: PodStatus | undefined): Promise<ProbeOutcome | undefined> => {
    const { target, state, ended } = worker;
    const { kind, pod, container, probe: spec, timing } = target;
    const containerId = parseContainerId(state.containerId).id;
    const podIp = status?.podIP === '' ? undefined : status?.podIP;
    const request = { kind, pod, container, containerId, probe: spec, timeoutMs: timing.timeoutMs, podIp };
    for (let attempts = 1; ; attempts += 1) {
      try {
        // Also a runner that does not heed its signal must not hold up the end.
        return await withDeadline(clock, Infinity, ended.signal, (signal) => runner.run(request, signal));
      } catch (error) {
        if (ended.signal.aborted) return undefined;
        if (attempts < MAX_ATTEMPTS) continue;
        const state = error instanceof ProbeError ? error.reason : 'unknown';
        record(target, 'Unhealthy', `probe errored and resulted in ${state} state: ${errorMessage(error)}`);
        return undefined;
      }
    }
  };

  /** Ends a probe for good. It stays among those of its pod: adding the pod again must not begin the same anew. */
  const end = (worker: Worker): void => {
    const { kind } = worker.target;
    if (worker.ended.signal.aborted) return;
    worker.ended.abort(new Error('the probe has ended'));
    turns.delete(worker);
    if (worker.state.containerId !== '') results.delete(kind, worker.state.containerId);
    worker.meter.end();
  };

  const removePod = (podUid: string): void => {
    for (const worker of workersOf(podUid)) end(worker);
    pods.delete(podUid);
  };
  const workersOf = (podUid: string): readonly Worker[] => [...(pods.get(podUid)?.values() ?? [])];
  /** Whether there is another container now than the one that the probe ended with. */
  const hasNewContainer = ({ target, state }: Worker): boolean => {
    const status = ports.podStatus(uidOf(target.pod));
    const found = status && findContainerStatus(status, target.container.name);
    return found !== undefined && found.containerID !== state.containerId;
  };
  const succeeded = (kind: 'readiness' | 'startup', containerId: string): boolean | undefined => {
    const result = results.get(kind, containerId);
    return result === undefined ? undefined : result === 'success';
  };

  return {
    addPod(pod) {
      if (lifetime.signal.aborted) return;
      const workers = pods.get(uidOf(pod)) ?? new Map<string, Worker>();
      for (const target of probeTargets(pod)) {
        const existing = workers.get(workerKey(target));
        if (existing !== undefined && !(existing.ended.signal.aborted && hasNewContainer(existing))) {
          existing.target = target;
          continue;
        }
        const worker: Worker = {
          target,
          state: newProbeState,
          meter: meterOf(target),
          ended: new AbortController(),
          nextTurnMs: undefined,
          running: false,
          triggered: false,
        };
        workers.set(workerKey(target), worker);
        // After a restart of the agent all pods come at once; their probes shall not.
        const { periodMs } = target.timing;
        turns.set(worker, periodMs > clock.monotonicNow() - createdMs ? random.next() * periodMs : 0);
      }
      if (workers.size > 0) pods.set(uidOf(pod), workers);
    },
    removePod,
    retainPods(podUids) {
      for (const podUid of [...pods.keys()]) if (!podUids.has(podUid)) removePod(podUid);
    },
    stopLivenessAndStartup(podUid) {
      for (const worker of workersOf(podUid)) if (worker.target.kind !== 'readiness') end(worker);
    },
    updateStatus(podUid) {
      const status = ports.podStatus(podUid);
      for (const { name, containerID = '', state, started } of [
        ...(status?.initContainerStatuses ?? []),
        ...(status?.containerStatuses ?? []),
      ]) {
        if (state?.running === undefined || started !== true || succeeded('readiness', containerID) === true) continue;
        const worker = pods.get(podUid)?.get(workerKey({ kind: 'readiness', container: { name } }));
        // The first turn comes by itself, and not sooner than the others.
        if (worker?.nextTurnMs === undefined) continue;
        worker.triggered = true;
        if (!worker.running) scheduleTurn(worker);
      }
    },
    results$: results.results$,
    livenessResults: () => results.snapshot('liveness'),
    readinessResults: () => results.snapshot('readiness'),
    startupResults: () => results.snapshot('startup'),
    isReady: (containerId) => succeeded('readiness', containerId),
    isStarted: (containerId) => succeeded('startup', containerId),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

function workerKey({ kind, container }: { kind: string; container: { name: string } }): string {
  return `${container.name}/${kind}`;
}
