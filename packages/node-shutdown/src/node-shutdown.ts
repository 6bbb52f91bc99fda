import type { AgentCore } from '@rxlet/agent-api';
import {
  abortable,
  type Clock,
  createLifetime,
  createProblemLog,
  errorMessage,
  type Logger,
  sleep,
} from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { createInhibitor } from './logind/inhibitor.ts';
import type { Logind } from './logind/logind.ts';
import type { DrainStatus } from './drain/drain-status.ts';
import { shutdownGroups, type ShutdownGroup, totalSeconds } from './plan/shutdown-groups.ts';
import { isReported, untilSettled } from './pod-progress.ts';
import type { ShutdownState } from './shutdown-state.ts';
import { createShutdownMetrics, type ShutdownMetrics } from './shutdown-metrics.ts';
import { terminatePods } from './terminate-pods.ts';

/** Ports of {@link createNodeShutdown}. */
export interface NodeShutdownPorts {
  readonly logind: Logind;
  readonly core: Pick<
    AgentCore,
    'activePods' | 'isStatusPublished' | 'killPod' | 'knownPods' | 'mayRunContainers' | 'podStatus' | 'sourcesReady'
  >;
  /** Reports whether volumes of the pod are mounted. */
  readonly hasVolumes: (podUid: string) => boolean;
  /** Returns the identity of this boot of the machine; `undefined` when it is unknown. */
  readonly bootId: () => Promise<string | undefined>;
  readonly state: ShutdownStore;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the state of a shutdown over a restart of the agent. */
export interface ShutdownStore {
  /** @throws Error when there is a state that cannot be used */
  load(): Promise<ShutdownState | undefined>;
  save(state: ShutdownState): Promise<void>;
}

/** Options of {@link createNodeShutdown}. */
export interface NodeShutdownOptions {
  readonly nodeName: string;
  /** Groups of pods, in the order in which they end. */
  readonly groups: readonly ShutdownGroup[];
}

/** Delays shutdowns of the node until its pods have ended. */
export interface NodeShutdown extends AsyncDisposable {
  /** Whether the node shuts down. */
  readonly isShuttingDown: CurrentValue<boolean>;
  /** Loads the state of an earlier run, and then watches the login manager. */
  start(): Promise<void>;
  /** Reports whether an earlier run of the agent began to terminate the pod, in the shutdown that goes on. */
  wasTerminating(podUid: string): boolean;
  /**
   * Ends all pods as a shutdown of the node does, although the node stays up; goes on with a drain that has begun.
   *
   * @param gracePeriods Default: those of a shutdown
   * @throws Error while the node shuts down
   */
  drain(gracePeriods?: readonly ShutdownGroup[]): Promise<void>;
  /** Ends the drain: the node takes pods again. */
  cancelDrain(): Promise<void>;
  drainStatus(): DrainStatus;
  /** Returns the state for people. */
  inspect(): unknown;
}

const RECONNECT_MS = 1_000;
/** The lock is given back so long before the login manager would go on without it. */
const RELEASE_MARGIN_MS = 1_000;
const POLL_MS = 100;
/** Time that the login manager has to answer before pods are admitted. */
const ANSWER_TIMEOUT_MS = 2_000;
/** Time after the end of a shutdown in which the machine is expected to go down. */
const POWER_OFF_MS = 60_000;
/** Time for the statuses of drained pods to be published, after that of the pods. */
const DRAIN_REPORT_MS = 10_000;
/** Grace periods of a drain on a node that has none for a shutdown. */
const DRAIN_GROUPS = shutdownGroups({ allPodsMs: 30_000, criticalPodsMs: 10_000 });

/** Creates a {@link NodeShutdown}. */
export function createNodeShutdown(ports: NodeShutdownPorts, options: NodeShutdownOptions): NodeShutdown {
  const { logind, core, events, clock, logger } = ports;
  const { nodeName, groups } = options;
  const totalMs = totalSeconds(groups) * 1000;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const problems = createProblemLog(logger);
  const isShuttingDown = createCurrentValue(false);
  const inhibitor = createInhibitor({ clock, logger }, totalMs / 1000);
  // A node that never shuts down has no such metrics.
  let registered: ShutdownMetrics | undefined;
  const metrics = (): ShutdownMetrics => (registered ??= createShutdownMetrics(ports.metrics));
  if (groups.length > 0) metrics();
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: nodeName };
  let state: ShutdownState | undefined;
  let bootId: string | undefined;
  let restored: ReadonlySet<string> = new Set();
  let shutdown: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined;
  let problem: string | undefined = 'not connected yet';
  /** Resolves once the login manager has answered, or cannot. */
  const answered = Promise.withResolvers<void>();

  const save = async (next: ShutdownState): Promise<void> => {
    state = next;
    metrics().set(next);
    try {
      await ports.state.save(next);
    } catch (error) {
      logger.error('cannot save the state of the shutdown', { error: errorMessage(error) });
    }
  };
  /** Ends all pods, or goes on with it, and then gives the lock back. */
  const run = async (from: ShutdownState, inhibitDelayMs: number, on: AbortSignal): Promise<void> => {
    const pods = new Map<string, Pod>();
    const untilMs = from.startMs + inhibitDelayMs - RELEASE_MARGIN_MS;
    // A drain keeps the lock: the node may shut down later.
    const release = async (): Promise<void> => (from.drain === undefined ? inhibitor.release() : undefined);
    using _deadline = clock.setTimer(Math.max(0, untilMs - clock.now()), () => void release());
    await save(from);
    await terminatePods(
      { ...ports, terminated: pods, progress: (group) => save({ ...state!, group, terminating: [...pods.keys()] }) },
      { groups: from.drain ?? groups, resumed: from.group },
      on,
    );
    if (from.drain === undefined) await save({ ...state!, endMs: clock.now() });
    const areReported = (): boolean => [...pods.keys()].every((uid) => isReported(core, uid));
    while (!areReported() && clock.now() < untilMs) await sleep(clock, POLL_MS, on);
    if (from.drain !== undefined) await save({ ...state!, endMs: clock.now() });
    await release();
    const outcome = from.drain === undefined ? 'the node may shut down' : 'the node is drained';
    logger.info(`all pods have ended, ${outcome}`, { pods: pods.size });
  };
  const begin = (from: ShutdownState, inhibitDelayMs: number): void => {
    if (shutdown !== undefined) return;
    state = from;
    isShuttingDown.set(true);
    const controller = new AbortController();
    const on = AbortSignal.any([signal, controller.signal]);
    const ended = lifetime.track(run(from, inhibitDelayMs, on)).catch((error: unknown) => {
      if (!on.aborted) logger.error('the shutdown of the node failed', { error: errorMessage(error) });
    });
    shutdown = { controller, ended };
  };
  /** Requests no further terminations. */
  const stop = async (): Promise<void> => {
    const running = shutdown;
    shutdown = undefined;
    restored = new Set();
    running?.controller.abort(new Error('the shutdown was cancelled'));
    await running?.ended;
  };
  const cancel = async (): Promise<void> => {
    await stop();
    // A shutdown may have taken the place of a drain meanwhile.
    if (shutdown !== undefined) return;
    isShuttingDown.set(false);
    // Without the identity of a boot, the next run of the agent does not go on with it.
    if (state !== undefined) await save({ ...state, endMs: state.endMs ?? clock.now(), bootId: undefined });
  };
  const isDrain = (): boolean => isShuttingDown.value && state?.drain !== undefined;
  const beginDrain = (from: ShutdownState): void =>
    begin(from, totalSeconds(from.drain ?? []) * 1000 + DRAIN_REPORT_MS);
  /** Begins a shutdown, which takes the place of a drain. */
  const beginShutdown = async (inhibitDelayMs: number): Promise<void> => {
    if (isDrain()) await stop();
    begin({ startMs: clock.now(), bootId, terminating: [] }, inhibitDelayMs);
  };
  const report = (message: string): void => events.event(node, 'Normal', 'Shutdown', message);

  const resume = async (inhibitDelayMs: number): Promise<void> => {
    if (state === undefined || shutdown !== undefined || !isShuttingDown.value) return;
    if (state.endMs !== undefined) return;
    logger.warn('the node shuts down since before the start of the agent, pods go on ending');
    await untilSettled(core, clock, signal);
    begin(state, inhibitDelayMs);
  };
  /** Watches the login manager until the connection is lost. */
  const watch = async (): Promise<void> => {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    const signals: boolean[] = [];
    let wake = Promise.withResolvers<void>();
    const observer = {
      prepareForShutdown(begins: boolean): void {
        signals.push(begins);
        wake.resolve();
      },
      lost: lost.reject,
    };
    await using connection = await logind.connect(observer, signal);
    const inhibitDelayMs = await inhibitor.prepare(connection, signal);
    const isPreparing = await connection.isPreparingForShutdown(signal);
    if (!isPreparing && isShuttingDown.value && !isDrain()) await cancel();
    answered.resolve();
    if (isPreparing) await adopt(inhibitDelayMs);
    if (!isShuttingDown.value || isDrain()) await inhibitor.acquire(connection, signal);
    problem = undefined;
    problems.ended();
    for (;;) {
      await abortable(Promise.race([wake.promise, lost.promise]), signal);
      wake = Promise.withResolvers();
      for (let begins = signals.shift(); begins !== undefined; begins = signals.shift()) {
        logger.info(begins ? 'the node begins to shut down' : 'the shutdown of the node was cancelled');
        report(`Shutdown manager detected shutdown ${begins ? 'event' : 'cancellation'}`);
        if (begins) await beginShutdown(inhibitDelayMs);
        else {
          if (!isDrain()) await cancel();
          await inhibitor.acquire(connection, signal);
        }
      }
    }
  };
  /** Takes part in a shutdown that began before the connection was made. */
  const adopt = async (inhibitDelayMs: number): Promise<void> => {
    if (isShuttingDown.value && !isDrain()) await resume(inhibitDelayMs);
    else await beginShutdown(inhibitDelayMs);
  };
  const watchForever = async (): Promise<void> => {
    for (;;) {
      try {
        await watch();
      } catch (error) {
        signal.throwIfAborted();
        answered.resolve();
        problem = errorMessage(error);
        problems.failed('cannot watch for shutdowns of the node; it is tried again', { error: problem });
      }
      if (!isDrain()) await resume(totalMs);
      if (
        isShuttingDown.value &&
        !isDrain() &&
        state !== undefined &&
        clock.now() > state.startMs + totalMs + POWER_OFF_MS
      )
        await cancel();
      await sleep(clock, RECONNECT_MS, signal);
    }
  };
  const resumeDrain = async (): Promise<void> => {
    if (state === undefined || state.endMs !== undefined) return;
    logger.warn('the node is drained since before the start of the agent, pods go on ending');
    await untilSettled(core, clock, signal);
    if (isDrain()) beginDrain(state);
  };
  const stopped = (error: unknown): void => {
    if (!signal.aborted) logger.error('shutdowns are not watched any more', { error: errorMessage(error) });
  };
  const load = async (): Promise<void> => {
    bootId = await ports.bootId();
    try {
      state = await ports.state.load();
    } catch (error) {
      logger.error('cannot use the state of an earlier shutdown, it is ignored', { error: errorMessage(error) });
    }
    if (state === undefined) return;
    metrics().set(state);
    const isSameBoot = state.bootId !== undefined && state.bootId === bootId;
    // Without grace periods, nothing would notice that the shutdown was cancelled.
    const isOver =
      state.drain === undefined && (groups.length === 0 || clock.now() > state.startMs + totalMs + POWER_OFF_MS);
    if (!isSameBoot || isOver) return;
    restored = new Set(state.terminating);
    isShuttingDown.set(true);
  };

  const drainStatus = (): DrainStatus => ({
    phase: !isDrain() ? 'none' : state?.endMs === undefined ? 'draining' : 'drained',
    podsLeft: core.activePods().length,
  });

  return {
    isShuttingDown,
    async start() {
      await load();
      if (isDrain()) void lifetime.track(resumeDrain()).catch(stopped);
      if (groups.length === 0) return;
      void lifetime.track(watchForever()).catch(stopped);
      // The shutdown of an earlier run may have been cancelled meanwhile, and a pod that is rejected or ended stays so.
      if (!isShuttingDown.value || isDrain()) return;
      using _limit = clock.setTimer(ANSWER_TIMEOUT_MS, answered.resolve);
      await abortable(answered.promise, signal);
    },
    async drain(gracePeriods = groups.length > 0 ? groups : DRAIN_GROUPS) {
      if (isDrain()) return;
      if (isShuttingDown.value) throw new Error('the node is shutting down');
      report('Drain of the node was requested');
      logger.info('the node begins to drain', { groups: gracePeriods });
      beginDrain({ startMs: clock.now(), bootId, terminating: [], drain: gracePeriods });
    },
    async cancelDrain() {
      if (!isDrain()) return;
      report('Drain of the node was cancelled');
      await cancel();
    },
    drainStatus,
    wasTerminating: (uid) => isShuttingDown.value && restored.has(uid),
    inspect: () => ({
      isShuttingDown: isShuttingDown.value,
      drain: drainStatus(),
      holdsLock: inhibitor.isHeld(),
      groups,
      state,
      problem,
    }),
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      await inhibitor.release();
      // The next start after an orderly end takes the node back into use.
      if (isDrain() && state?.endMs !== undefined) await save({ ...state, bootId: undefined });
    },
  };
}
