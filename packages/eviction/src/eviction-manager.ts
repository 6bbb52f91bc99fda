import type { AgentCore } from '@rxlet/agent-api';
import type { ImageReclaimer } from '@rxlet/agent-api/images';
import type { FileSystemLayout, NodeStatistics, NodeSummary } from '@rxlet/agent-api/node';
import { type Clock, createLifetime, createProblemLog, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import { formatPod, podUid } from '@rxlet/pod-model';
import type { PodEvictor } from './evict-pod.ts';
import { type EvictionSettings, initialEvictionState } from './eviction-state.ts';
import type { Eviction } from './evictions.ts';
import { hasLocalStorageLimit } from './local-storage.ts';
import { memoryMarginBytes, memoryPauseMs } from './memory-watch.ts';
import { thresholdsMet } from './met-thresholds.ts';
import { observe } from './observations.ts';
import { hasUnmeasuredVolume, usageByUid } from './pod-usage.ts';
import type { ReclaimStep } from './reclaim-steps.ts';
import type { PressureCondition } from './signals.ts';
import { type EvictionDecision, type Reclaim, synchronize, synchronizeAfterReclaim } from './synchronize.ts';

/** Ports of {@link createEvictionManager}. */
export interface EvictionManagerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly core: Pick<AgentCore, 'activePods' | 'isFinished' | 'mayRunContainers' | 'collectContainerGarbage'>;
  readonly statistics: NodeStatistics;
  /** `undefined` for an agent that does not manage images. */
  readonly images: ImageReclaimer | undefined;
  readonly evictor: PodEvictor;
}

/** Options of {@link createEvictionManager}. */
export interface EvictionManagerOptions {
  readonly nodeName: string;
  readonly settings: EvictionSettings;
  /** Only reports what would be evicted. */
  readonly isDryRun: boolean;
}

/** Watches the node's resources and evicts pods. */
export interface EvictionManager extends AsyncDisposable {
  start(): void;
  /** Applies other settings from the next check on, which follows at once. The node's conditions of pressure stay until it. */
  configure(settings: EvictionSettings): void;
  /** Returns the node's current conditions of pressure. */
  conditions(): readonly PressureCondition[];
  /** Returns the state for people, as plain data. */
  inspect(): unknown;
}

/** The kubelet's monitoring period. */
const PERIOD_MS = 10_000;
/** Shortest pause between two checks. */
const MIN_PERIOD_MS = 1_000;
/** Longest wait for the clean-up of an evicted pod. */
const CLEAN_UP_MS = 30_000;
const CLEAN_UP_POLL_MS = 200;
/** Number of evictions that the debug section shows. */
const MAX_RECENT = 20;

/** Creates an {@link EvictionManager}. */
export function createEvictionManager(ports: EvictionManagerPorts, options: EvictionManagerOptions): EvictionManager {
  const { clock, logger, events, core, statistics, images, evictor } = ports;
  const { isDryRun } = options;
  let { settings } = options;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const problems = createProblemLog(logger);
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: options.nodeName };
  /** UIDs of the pods that are being killed. */
  const killing = new Set<string>();
  let state = initialEvictionState(settings);
  let layout: FileSystemLayout | undefined;
  let settledMs = -Infinity;
  let isReclaiming = false;
  let isStarted = false;
  let isRunningChecks = false;
  let wake = new AbortController();
  let recent: readonly {
    readonly pod: string;
    readonly cause: string;
    readonly explanation: string;
    readonly atMs: number;
  }[] = [];

  const pause = async (delayMs: number, until = AbortSignal.any([signal, wake.signal])): Promise<void> => {
    await sleep(clock, delayMs, until).catch(() => undefined);
  };
  /** Resolves when the pod has ended and its volumes are gone, so that the next measurement shows what its end has freed. */
  const evictAndCleanUp = async (eviction: Eviction, measuredMs: number | undefined): Promise<void> => {
    await evictor.evict(eviction, measuredMs, signal);
    const untilMs = clock.monotonicNow() + CLEAN_UP_MS;
    while (!signal.aborted && !core.isFinished(podUid(eviction.pod)) && clock.monotonicNow() < untilMs)
      await pause(CLEAN_UP_POLL_MS, signal);
  };
  const evict = (eviction: Eviction): void => {
    const { pod, cause, explanation } = eviction;
    const entry = { pod: formatPod(pod), cause, explanation, atMs: clock.now() };
    if (isDryRun) {
      // A pod that stays over its limit is decided on at each check.
      if (!recent.some((other) => other.pod === entry.pod && other.cause === cause))
        logger.warn('pod would be evicted', { pod: entry.pod, cause, explanation });
      recent = [...recent.filter((other) => other.pod !== entry.pod || other.cause !== cause), entry].slice(
        -MAX_RECENT,
      );
      return;
    }
    recent = [...recent, entry].slice(-MAX_RECENT);
    const uid = podUid(pod);
    killing.add(uid);
    const measuredMs = [...state.measuredAt].find(([name]) => name === cause)?.[1];
    const work = evictAndCleanUp(eviction, measuredMs).finally(() => {
      killing.delete(uid);
      wake.abort();
    });
    void lifetime.track(work);
  };

  const perform = ({ state: next, actions }: EvictionDecision): void => {
    state = next;
    for (const action of actions) {
      if (action.kind === 'evict') evict(action.eviction);
      else if (isDryRun && action.kind === 'report') continue;
      else if (action.kind === 'report')
        events.event(node, 'Warning', 'EvictionThresholdMet', `Attempting to reclaim ${action.resource}`);
      else startReclaim(action.reclaim);
    }
  };

  const checkFailed = (error: unknown): void => {
    if (!signal.aborted)
      logger.error('cannot check the node for evictions; it is checked again', { error: errorMessage(error) });
  };

  const collect = async (step: ReclaimStep): Promise<void> => {
    try {
      await (step === 'containers'
        ? core.collectContainerGarbage(signal, { includeTerminatedPods: true })
        : images?.deleteUnusedImages());
    } catch (error) {
      if (!signal.aborted) logger.warn(`cannot collect unused ${step}`, { error: errorMessage(error) });
    }
  };
  const reclaim = async (work: Reclaim): Promise<void> => {
    if (!isDryRun) for (const step of work.steps) await collect(step);
    if (signal.aborted) return;
    const summary = await measure();
    if (signal.aborted) return;
    const nowMs = clock.monotonicNow();
    perform(synchronizeAfterReclaim(state, work, { nowMs, pods: core.activePods(), summary, running: running() }));
  };
  /** Runs beside the checks: the removal of images takes long, and memory may run out meanwhile. */
  const startReclaim = (work: Reclaim): void => {
    if (isReclaiming) return;
    isReclaiming = true;
    const reclaiming = reclaim(work)
      .catch(checkFailed)
      .finally(() => void (isReclaiming = false));
    void lifetime.track(reclaiming);
  };

  const isRunning = (uid: string): boolean => killing.has(uid) || (!isDryRun && core.mayRunContainers(uid));
  /** UIDs of the evicted pods of which something still runs. */
  const running = (): ReadonlySet<string> => new Set(state.evicting.map(({ uid }) => uid).filter(isRunning));

  /** Measures the node and these pods, or all; `undefined` when that fails. */
  const measure = async (podUids?: ReadonlySet<string>): Promise<NodeSummary | undefined> => {
    try {
      layout ??= await statistics.fileSystemLayout(signal);
      const summary = await statistics.summary(signal, podUids);
      problems.ended();
      return summary;
    } catch (error) {
      if (!signal.aborted) problems.failed('cannot measure the node for evictions', { error: errorMessage(error) });
      return undefined;
    }
  };
  /** Measures all pods only when one may have to be evicted for the sake of the node. */
  const measureAsNeeded = async (): Promise<NodeSummary | undefined> => {
    const limited = settings.localStorageCapacityIsolation ? core.activePods().filter(hasLocalStorageLimit) : [];
    const summary = await measure(new Set(limited.map(podUid)));
    if (summary === undefined) return undefined;
    const met = thresholdsMet(state.thresholds, observe(summary), { withMinReclaim: false });
    return met.length > 0 || state.unresolved.length > 0 ? measure() : summary;
  };

  /**
   * Reports whether a volume of a pod is missing in the first measurements after the start, because it is not mounted again yet. The use of that pod would count as
   * zero, and another one would be chosen.
   */
  const isIncomplete = (summary: NodeSummary | undefined): boolean => {
    if (summary === undefined || clock.monotonicNow() > settledMs) return false;
    const usage = usageByUid(summary);
    return core.activePods().some((pod) => {
      const use = usage.get(podUid(pod));
      return use !== undefined && hasUnmeasuredVolume(pod, use);
    });
  };

  const check = async (): Promise<void> => {
    const summary = await measureAsNeeded();
    if (signal.aborted || layout === undefined) return;
    const isTooEarly = isIncomplete(summary);
    if (isTooEarly) wake.abort();
    const pods = isTooEarly ? [] : core.activePods();
    perform(synchronize(state, { nowMs: clock.monotonicNow(), layout, pods, summary, running: running() }));
  };

  const marginBytes = (): number => memoryMarginBytes(state.thresholds, statistics.memory());

  /** Waits for the next check: until the period is over, a hard threshold of memory is crossed, or an evicted pod has ended. */
  const untilNextCheck = async (isBeyond: boolean): Promise<void> => {
    const dueMs = clock.monotonicNow() + PERIOD_MS;
    let wasBeyond = isBeyond;
    while (!signal.aborted && !wake.signal.aborted) {
      const leftMs = dueMs - clock.monotonicNow();
      const margin = marginBytes();
      if (leftMs <= 0 || (margin <= 0 && !wasBeyond)) return;
      wasBeyond = margin <= 0;
      await pause(wasBeyond ? leftMs : Math.min(leftMs, memoryPauseMs(margin)));
    }
    // The end of several pods leads to one check, and the cgroup of a pod that has ended is gone by then.
    wake = new AbortController();
    await pause(MIN_PERIOD_MS);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const isBeyond = marginBytes() <= 0;
        await check();
        if (!signal.aborted) await untilNextCheck(isBeyond);
      } catch (error) {
        // Whatever fails one check must not end the protection of the node.
        checkFailed(error);
        await pause(PERIOD_MS, signal);
      }
    }
  };

  const runIfNeeded = (): void => {
    if (isRunningChecks || (state.thresholds.length === 0 && !settings.localStorageCapacityIsolation)) return;
    isRunningChecks = true;
    void lifetime.track(run());
  };

  return {
    start() {
      settledMs = clock.monotonicNow() + 2 * PERIOD_MS;
      isStarted = true;
      runIfNeeded();
    },
    configure(next) {
      settings = next;
      const { conditions, observedAt, evicting, measuredAt } = state;
      state = { ...initialEvictionState(next), conditions, observedAt, evicting, measuredAt };
      wake.abort();
      if (isStarted) runIfNeeded();
    },
    conditions: () => state.conditions,
    inspect: () => ({
      dryRun: isDryRun,
      conditions: state.conditions,
      fileSystems: layout,
      thresholds: state.thresholds.map(({ signal: name, gracePeriodMs }) => ({ signal: name, gracePeriodMs })),
      thresholdsMet: [...state.metSince].map(([{ signal: name }, sinceMs]) => ({
        signal: name,
        forMs: clock.monotonicNow() - sinceMs,
      })),
      evicting: state.evicting.map(({ uid }) => uid),
      recent,
    }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
