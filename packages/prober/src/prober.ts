import { type Journal, noopJournal } from '@rxlet/agent-api/journal';
import type { ProbeResultChange, ProbeResults } from '@rxlet/agent-api/containers';
import type { Observable } from 'rxjs';
import {
  type Clock,
  createDeadlineQueue,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  onAbort,
  type Random,
  withDeadline,
} from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { containerFieldPath, formatPod, parseContainerId, podEventObject, podUid } from '@rxlet/pod-model';
import { createProbeMetrics, type ProbeMeter } from './probe-metrics.ts';
import { ProbeError, type ProbeOutcome, type ProbeRunner } from './probe-runner.ts';
import {
  countResult,
  findContainerStatus,
  isOlderThanAgent,
  newProbeState,
  type ProbeState,
  probeStep,
  type ResultChange,
} from './probe-step.ts';
import { probeKindNames, type ProbeTarget, probeTargets } from './probe-target.ts';
import { createResultStore } from './result-store.ts';

/** Ports of a {@link Prober}. */
export interface ProberPorts {
  /** Default: nothing is recorded. */
  readonly journal?: Journal | undefined;
  /** Runs the probes: `createProbeRunner` or a custom runner. */
  readonly runner: ProbeRunner;
  /** Returns the current status of a pod as the API shows it; `undefined` when there is none. Called at every tick of a probe. */
  podStatus(podUid: string): PodStatus | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createProber}. */
export interface ProberOptions {
  /** Start time of the agent, epoch milliseconds. Older containers keep their reported state until their first result. Default: creation of the prober. */
  readonly agentStartMs?: number;
}

/** Probes the containers of pods added with {@link Prober.addPod}. */
export interface Prober extends AsyncDisposable {
  /** Starts the probes of a pod, whether its containers exist yet or not. Running probes continue with the updated pod. */
  addPod(pod: Pod): void;
  /** Stops all probes of a pod and removes their results. */
  removePod(podUid: string): void;
  /** Stops the probes of all other pods. */
  retainPods(podUids: ReadonlySet<string>): void;
  /**
   * Stops the liveness and startup probes of the regular containers of a terminating pod. As in the kubelet, readiness probes and all probes of sidecars continue
   * until {@link Prober.removePod}, because sidecars run until the regular containers have stopped.
   */
  stopLivenessAndStartup(podUid: string): void;
  /**
   * Must be called after a new status of the pod is available from `podStatus`. Runs the readiness probes of started containers that are not ready at once, and
   * restarts their period.
   */
  updateStatus(podUid: string): void;
  /** Changed results, and the initial result of each new container. Hot, without replay; snapshots give earlier results. Completes on disposal. */
  readonly results$: Observable<ProbeResultChange>;
  /** Returns the last results of the liveness probes. A container has none without such a probe, or when it is older than the agent and was not probed yet. */
  livenessResults(): ProbeResults;
  readinessResults(): ProbeResults;
  startupResults(): ProbeResults;
  /** Reports whether the last readiness result of a container was a success; `undefined` when there is none. The id has the form of the pod's status. */
  isReady(containerId: string): boolean | undefined;
  /** Reports whether the last startup result of a container was a success; `undefined` when there is none. */
  isStarted(containerId: string): boolean | undefined;
}

/** A probe in progress. It has at most one run in flight, so a run that hangs delays no other probe. */
interface Worker {
  target: ProbeTarget;
  state: ProbeState;
  readonly meter: ProbeMeter;
  readonly ended: AbortController;
  /** Time of the next tick on the monotonic clock; `undefined` before the first. */
  nextTickMs: number | undefined;
  running: boolean;
  /** Whether a tick was requested during a run. */
  triggered: boolean;
  /** Container and result of the last change in the journal. */
  recorded: string | undefined;
}

/** Length of a probe's output in the journal. */
const MAX_OUTPUT_LENGTH = 512;

/** Attempts of a run without a result in one tick. */
const MAX_ATTEMPTS = 3;

/** Creates a {@link Prober} with the kubelet's rules of timing, thresholds and gating. */
export function createProber(ports: ProberPorts, options: ProberOptions = {}): Prober {
  const { runner, clock, random, events, journal = noopJournal, logger = noopLogger } = ports;
  const agentStartMs = options.agentStartMs ?? clock.now();
  const createdMs = clock.monotonicNow();
  const lifetime = createLifetime();
  const meterOf = createProbeMetrics(ports.metrics);
  const results = createResultStore();
  /** Workers by pod UID, then by container and kind. */
  const pods = new Map<string, Map<string, Worker>>();
  const ticks = createDeadlineQueue<Worker>(clock, (worker) => {
    try {
      tick(worker);
    } catch (error) {
      // An exception in a timer would end the agent.
      logger.error('cannot run a probe', { pod: formatPod(worker.target.pod), error: errorMessage(error) });
      scheduleTick(worker);
    }
  });
  onAbort(lifetime.signal, () => {
    for (const podUid of [...pods.keys()]) removePod(podUid);
    ticks[Symbol.dispose]();
  });
  lifetime.defer(() => results.complete());

  const publish = ({ target, ended }: Worker, changes: readonly ResultChange[]): void => {
    const { kind, pod, container } = target;
    for (const { containerId, result } of changes) {
      // A subscriber may stop the probe.
      if (ended.signal.aborted) return;
      if (result === undefined) results.delete(kind, containerId);
      else results.set({ podUid: podUid(pod), container: container.name, containerId, kind, result });
    }
  };

  const record = ({ pod, container, containerKind, kind }: ProbeTarget, reason: string, text: string): void => {
    const object = podEventObject(pod, containerFieldPath(containerKind, container.name));
    const message = `${probeKindNames[kind]} ${text}`;
    events.event(object, 'Warning', reason, message);
    logger.debug(message, { pod: formatPod(pod), container: container.name });
  };

  const tick = (worker: Worker): void => {
    const nowMs = clock.monotonicNow();
    const { periodMs } = worker.target.timing;
    const dueMs = worker.nextTickMs ?? nowMs;
    // Ticks stay on a grid of periods. A slow probe makes up for one missed tick, like a Go ticker.
    worker.nextTickMs = dueMs + periodMs * (Math.floor((nowMs - dueMs) / periodMs) + 1);
    const status = ports.podStatus(podUid(worker.target.pod));
    const step = probeStep(worker.target, worker.state, {
      status,
      nowMs: clock.now(),
      monotonicMs: nowMs,
      agentStartMs,
    });
    worker.state = step.state;
    publish(worker, step.changes);
    if (step.next === 'stop') end(worker);
    else if (step.next === 'probe' && !worker.ended.signal.aborted) void lifetime.track(probe(worker, status));
    else scheduleTick(worker);
  };

  const scheduleTick = (worker: Worker): void => {
    if (worker.ended.signal.aborted) return;
    if (worker.triggered) {
      worker.triggered = false;
      worker.nextTickMs = clock.monotonicNow();
    }
    ticks.set(worker, (worker.nextTickMs ?? 0) - clock.monotonicNow());
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
      if (counted.changes.length > 0) recordChange(worker, outcome);
      publish(worker, counted.changes);
    } finally {
      worker.running = false;
      scheduleTick(worker);
    }
  };

  /** Records a change in the journal. A count that reaches its threshold again is none. */
  const recordChange = (worker: Worker, { result, output }: ProbeOutcome): void => {
    const { kind, pod, container } = worker.target;
    const change = `${worker.state.containerId} ${result}`;
    if (worker.recorded === change) return;
    worker.recorded = change;
    const attributes = { result, output: output.slice(0, MAX_OUTPUT_LENGTH) };
    const fact = { kind: 'probe.changed', container: container.name, subject: kind, within: 'life' } as const;
    journal.record(pod.metadata, { ...fact, attributes });
  };

  /** Returns the outcome of a probe; `undefined` when there is none, which is reported as an event. */
  const attempt = async (worker: Worker, status: PodStatus | undefined): Promise<ProbeOutcome | undefined> => {
    const { target, state, ended } = worker;
    const { kind, pod, container, probe: spec, timing } = target;
    const containerId = parseContainerId(state.containerId).id;
    const podIp = status?.podIP === '' ? undefined : status?.podIP;
    const request = { kind, pod, container, containerId, probe: spec, timeoutMs: timing.timeoutMs, podIp };
    for (let attempts = 1; ; attempts += 1) {
      try {
        // A runner that ignores its signal must not delay the end.
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

  /** Stops a probe. It stays among the probes of its pod, so that adding the pod again does not restart it for the same container. */
  const end = (worker: Worker): void => {
    const { kind } = worker.target;
    if (worker.ended.signal.aborted) return;
    worker.ended.abort(new Error('the probe was stopped'));
    ticks.delete(worker);
    if (worker.state.containerId !== '') results.delete(kind, worker.state.containerId);
    worker.meter.end();
  };

  const removePod = (podUid: string): void => {
    for (const worker of workersOf(podUid)) end(worker);
    pods.delete(podUid);
  };
  const workersOf = (podUid: string): readonly Worker[] => [...(pods.get(podUid)?.values() ?? [])];
  /** Reports whether the container is another instance than the last probed one. */
  const hasNewContainer = ({ target, state }: Worker): boolean => {
    const status = ports.podStatus(podUid(target.pod));
    const found = status && findContainerStatus(status, target.container.name);
    return found !== undefined && found.containerID !== state.containerId;
  };
  /** Reports whether a container that is older than the agent is not started or unready, perhaps only because no status of it is known, as after another agent ran it. */
  const awaitsResult = ({ target }: Worker): boolean => {
    const status = ports.podStatus(podUid(target.pod));
    const found = status && findContainerStatus(status, target.container.name);
    if (found === undefined || !isOlderThanAgent(found, agentStartMs)) return false;
    const isStarted = found.started === true;
    return (target.kind === 'startup' && !isStarted) || (target.kind === 'readiness' && isStarted && !found.ready);
  };
  const succeeded = (kind: 'readiness' | 'startup', containerId: string): boolean | undefined => {
    const result = results.get(kind, containerId);
    return result === undefined ? undefined : result === 'success';
  };

  return {
    addPod(pod) {
      if (lifetime.signal.aborted) return;
      const workers = pods.get(podUid(pod)) ?? new Map<string, Worker>();
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
          nextTickMs: undefined,
          running: false,
          triggered: false,
          recorded: undefined,
        };
        workers.set(workerKey(target), worker);
        // Spreads the first ticks, because a restarted agent gets all pods at once.
        const { periodMs } = target.timing;
        const isSpread = periodMs > clock.monotonicNow() - createdMs && !awaitsResult(worker);
        ticks.set(worker, isSpread ? random.next() * periodMs : 0);
      }
      if (workers.size > 0) pods.set(podUid(pod), workers);
    },
    removePod,
    retainPods(podUids) {
      for (const podUid of [...pods.keys()]) if (!podUids.has(podUid)) removePod(podUid);
    },
    stopLivenessAndStartup(podUid) {
      for (const worker of workersOf(podUid)) {
        const { kind, containerKind } = worker.target;
        if (kind !== 'readiness' && containerKind === 'regular') end(worker);
      }
    },
    updateStatus(podUid) {
      if (!pods.has(podUid)) return;
      const status = ports.podStatus(podUid);
      for (const { name, containerID = '', state, started } of [
        ...(status?.initContainerStatuses ?? []),
        ...(status?.containerStatuses ?? []),
      ]) {
        if (state?.running === undefined || started !== true || succeeded('readiness', containerID) === true) continue;
        const worker = pods.get(podUid)?.get(workerKey({ kind: 'readiness', container: { name } }));
        // The first tick keeps its random time.
        if (worker?.nextTickMs === undefined) continue;
        worker.triggered = true;
        if (!worker.running) scheduleTick(worker);
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

function workerKey({ kind, container }: { kind: string; container: { name: string } }): string {
  return `${container.name}/${kind}`;
}
