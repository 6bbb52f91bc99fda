import type { Pod } from '@rxlet/kube-api';
import { isCriticalPod, podUid } from '@rxlet/pod-model';
import { evictionReason } from './eviction-message.ts';
import type { EvictionState, PendingEviction } from './eviction-state.ts';
import { type Eviction, IMMEDIATE_GRACE_PERIOD_SECONDS } from './evictions.ts';
import { explainEviction } from './explain-eviction.ts';
import { applyLayout } from './file-system-layout.ts';
import { evictLocalStorage } from './local-storage.ts';
import { byUrgency, mergeThresholds, thresholdsMet } from './met-thresholds.ts';
import type { FileSystemLayout, NodeSummary, PodUse } from './node-summary.ts';
import { type Observations, observe } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import { usageByUid } from './pod-usage.ts';
import { type RankedPod, rankPods } from './rank-pods.ts';
import { type ReclaimStep, reclaimSteps } from './reclaim-steps.ts';
import { conditionOf, type PressureCondition, resourceOf, type StarvedResource } from './signals.ts';

/** Input of a synchronization. */
export interface EvictionObservation {
  readonly nowMs: number;
  readonly layout: FileSystemLayout;
  /** Active pods. */
  readonly pods: readonly Pod[];
  /** `undefined`: the statistics cannot be had, so that nothing is decided. */
  readonly summary: NodeSummary | undefined;
  /** UIDs of pods of which something still runs. Evictions of others have ended. */
  readonly running: ReadonlySet<string>;
}

/** Action of a decision. Actions are carried out in order. */
export type EvictionAction =
  /** Record the event `EvictionThresholdMet` of the node. */
  | { readonly kind: 'report'; readonly resource: StarvedResource }
  /** Collect garbage, then call {@link synchronizeAfterReclaim} with new statistics. Always the last action. */
  | { readonly kind: 'reclaim'; readonly reclaim: Reclaim }
  | { readonly kind: 'evict'; readonly eviction: Eviction };

/** Garbage collection that may spare an eviction, and what the decision goes on with. */
export interface Reclaim {
  readonly steps: readonly ReclaimStep[];
  readonly need: Need;
}

/** Result of a synchronization. */
export interface EvictionDecision {
  readonly state: EvictionState;
  readonly actions: readonly EvictionAction[];
}

/** A resource that has to be freed by the end of a pod. */
interface Need {
  readonly threshold: Threshold;
  /** All thresholds that require an eviction, the most urgent first. */
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly usage: ReadonlyMap<string, PodUse>;
  readonly pods: readonly Pod[];
  readonly layout: FileSystemLayout;
  readonly nowMs: number;
}

const CONDITIONS: readonly PressureCondition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Time for which a decision holds without new statistics: the period of the synchronizations. */
const MAX_AGE_MS = 10_000;

/** Time after its grace period in which a pod should have ended. */
const CLEAN_UP_MS = 30_000;

/**
 * Decides what a node evicts, given its statistics: pods beyond the limits of their local storage, else one pod for the most urgent threshold.
 *
 * A pod that takes its time after a soft eviction holds up further soft evictions, never those at a hard threshold.
 */
export function synchronize(previous: EvictionState, observation: EvictionObservation): EvictionDecision {
  const { settings } = previous;
  if (previous.thresholds.length === 0 && !settings.localStorageCapacityIsolation)
    return { state: previous, actions: [] };
  const { current, state: started, layout } = withLayout(previous, observation.layout);
  const { summary, pods, nowMs, running } = observation;
  if (summary === undefined) return { state: started, actions: [] };

  const observations = observe(summary);
  const evicting = inProgress(started, running, nowMs);
  const state = { ...observeThresholds(started, current, observations, nowMs), evicting };
  const usage = usageByUid(summary);
  if (settings.localStorageCapacityIsolation) {
    const candidates = pods.filter((pod) => !evicting.some(({ uid, isSoft }) => !isSoft && uid === podUid(pod)));
    const evictions = evictLocalStorage(candidates, usage, layout);
    if (evictions.length > 0) return evict(state, evictions, nowMs);
  }
  const fresh = withoutHeldUp(withNewStatistics(state.unresolved, observations, started.measuredAt), evicting);
  const thresholds = byUrgency(fresh);
  const [threshold] = thresholds;
  if (threshold === undefined) return { state, actions: [] };
  const need: Need = { threshold, thresholds, observations, usage, pods, layout, nowMs };
  const report: EvictionAction = { kind: 'report', resource: resourceOf(threshold.signal) };
  const steps = reclaimSteps(threshold.signal, layout);
  if (steps.length > 0) return { state, actions: [report, { kind: 'reclaim', reclaim: { steps, need } }] };
  const decision = evictOne(state, need);
  return { ...decision, actions: [report, ...decision.actions] };
}

/**
 * Goes on with a decision after garbage was collected: evicts a pod that is still active unless the thresholds are resolved, or another eviction began meanwhile that
 * holds this one up. Without statistics they count as met for a while: the collection may have taken long, and the next synchronization decides anew.
 */
export function synchronizeAfterReclaim(
  state: EvictionState,
  { need }: Reclaim,
  { nowMs, pods, summary, running }: Omit<EvictionObservation, 'layout'>,
): EvictionDecision {
  if (withoutHeldUp([need.threshold], inProgress(state, running, nowMs)).length === 0) return { state, actions: [] };
  const isMet =
    summary === undefined
      ? nowMs - need.nowMs < MAX_AGE_MS
      : thresholdsMet(state.thresholds, observe(summary), { withMinReclaim: true }).length > 0;
  if (!isMet) return { state, actions: [] };
  const active = new Set(pods.map(podUid));
  return evictOne(state, { ...need, nowMs, pods: need.pods.filter((pod) => active.has(podUid(pod))) });
}

/**
 * Adds the thresholds of writable layers at the first synchronization, whose layout stays. As in the kubelet, those that are added count from the second one on.
 */
function withLayout(
  state: EvictionState,
  layout: FileSystemLayout,
): { readonly current: readonly Threshold[]; readonly state: EvictionState; readonly layout: FileSystemLayout } {
  if (state.layout !== undefined) return { current: state.thresholds, state, layout: state.layout };
  const { configured, all } = applyLayout(state.thresholds, layout);
  return { current: configured, state: { ...state, layout, thresholds: all }, layout };
}

/** Returns the state with what was observed: since when thresholds are met, which of them require an eviction, and the conditions. */
function observeThresholds(
  state: EvictionState,
  thresholds: readonly Threshold[],
  observations: Observations,
  nowMs: number,
): EvictionState {
  const met = mergeThresholds(
    thresholdsMet(thresholds, observations, { withMinReclaim: false }),
    thresholdsMet(state.unresolved, observations, { withMinReclaim: true }),
  );
  const metSince = new Map(met.map((threshold) => [threshold, state.metSince.get(threshold) ?? nowMs]));
  const observedNow = met.map(({ signal }) => [conditionOf(signal), nowMs] as const);
  const observedAt = new Map([...state.observedAt, ...observedNow]);
  return {
    ...state,
    metSince,
    unresolved: met.filter((threshold) => nowMs - metSince.get(threshold)! >= threshold.gracePeriodMs),
    observedAt,
    conditions: CONDITIONS.filter(
      (condition) => nowMs - (observedAt.get(condition) ?? -Infinity) < state.settings.pressureTransitionPeriodMs,
    ),
    measuredAt: new Map([...observations].map(([signal, { time }]) => [signal, time])),
  };
}

/** Returns those of the observed thresholds that were measured again since the last synchronization. A measurement without a time counts as new. */
function withNewStatistics(
  thresholds: readonly Threshold[],
  observations: Observations,
  measuredAt: EvictionState['measuredAt'],
): readonly Threshold[] {
  return thresholds.filter(({ signal }) => {
    const { time } = observations.get(signal)!;
    const last = measuredAt.get(signal);
    return last === undefined || time === 0 || time > last;
  });
}

/** Returns the evictions that may hold up others: something of their pods still runs, and their time is not over. */
function inProgress(state: EvictionState, running: ReadonlySet<string>, nowMs: number): readonly PendingEviction[] {
  return state.evicting.filter(({ uid, deadlineMs }) => running.has(uid) && nowMs < deadlineMs);
}

/** Returns the thresholds that need not wait for the end of pods that are being evicted. */
function withoutHeldUp(thresholds: readonly Threshold[], evicting: readonly PendingEviction[]): readonly Threshold[] {
  if (evicting.length === 0) return thresholds;
  if (evicting.some(({ isSoft }) => !isSoft)) return [];
  return thresholds.filter(({ gracePeriodMs }) => gracePeriodMs === 0);
}

function evictOne(state: EvictionState, need: Need): EvictionDecision {
  const ranked = rankPods(need.threshold.signal, need.layout, need.pods, need.usage);
  const victim = ranked.find(({ pod }) => !isCriticalPod(pod));
  if (victim === undefined) return { state, actions: [] };
  return evict(state, [evictionOf(victim, state, need)], need.nowMs);
}

function evictionOf({ pod, consumption }: RankedPod, state: EvictionState, need: Need): Eviction {
  const { threshold, thresholds, observations, usage } = need;
  const { message, annotations } = evictionReason(
    resourceOf(threshold.signal),
    pod,
    usage.get(podUid(pod)),
    thresholds,
    observations,
  );
  const isSoft = threshold.gracePeriodMs > 0;
  const { maxPodGracePeriodSeconds } = state.settings;
  const { generation } = pod.metadata ?? {};
  return {
    pod,
    cause: threshold.signal,
    message,
    explanation: explainEviction(threshold, consumption, observations),
    annotations,
    condition: {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
      ...(generation !== undefined && { observedGeneration: generation }),
    },
    gracePeriodSeconds: isSoft
      ? Math.min(maxPodGracePeriodSeconds, pod.spec?.terminationGracePeriodSeconds ?? maxPodGracePeriodSeconds)
      : IMMEDIATE_GRACE_PERIOD_SECONDS,
    isSoft,
  };
}

function evict(state: EvictionState, evictions: readonly Eviction[], nowMs: number): EvictionDecision {
  const pending = evictions.map(({ pod, isSoft, gracePeriodSeconds }) => ({
    uid: podUid(pod),
    isSoft,
    deadlineMs: nowMs + gracePeriodSeconds * 1000 + CLEAN_UP_MS,
  }));
  const others = state.evicting.filter(({ uid }) => pending.every((eviction) => eviction.uid !== uid));
  return {
    state: { ...state, evicting: [...others, ...pending] },
    actions: evictions.map((eviction) => ({ kind: 'evict', eviction })),
  };
}
