import {
  admitUnderPressure,
  evictedStatus,
  type Eviction,
  type EvictionAction,
  type EvictionDecision,
  type EvictionState,
  type FileSystemLayout,
  initialEvictionState,
  type NodeSummary,
  parseThresholds,
  type ReclaimStep,
  synchronize,
  synchronizeAfterReclaim,
  type Threshold,
  type ThresholdConfiguration,
} from '@rxlet/eviction';
import type { Pod, PodCondition } from '@rxlet/kube-api';
import { formatQuantity } from '@rxlet/pod-model/quantity';
import { type EvictionValue, EvictionValueError } from '@rxlet/pod-model/eviction-thresholds';
import type { Answer } from '../vector-kind.ts';

interface ParseVector {
  readonly kind: 'parse';
  readonly input: ThresholdConfiguration;
  readonly want: { readonly error?: true; readonly thresholds?: readonly WantedThreshold[] };
}

interface WantedThreshold {
  readonly signal: string;
  readonly operator: string;
  readonly value: WantedValue;
  readonly minReclaim?: WantedValue;
  readonly gracePeriodSeconds: number;
}

interface WantedValue {
  readonly quantity?: string;
  readonly percentage?: number | string;
}

interface ScenarioVector {
  readonly kind: 'scenario';
  readonly input: {
    readonly config: ThresholdConfiguration;
    readonly pressureTransitionPeriodSeconds: number;
    readonly maxPodGracePeriodSeconds: number;
    readonly localStorageCapacityIsolation: boolean;
    readonly dedicatedImageFs: boolean;
    readonly dedicatedContainerFs: boolean;
    readonly pods: readonly Pod[];
    readonly start: string;
    readonly steps: readonly Step[];
  };
  readonly want: { readonly steps: readonly WantedStep[] };
}

interface Step {
  readonly afterSeconds: number;
  readonly pods: readonly string[] | null;
  readonly summary: object;
  readonly summaryAfterGC?: object;
  readonly statsFail?: true;
  readonly admit?: readonly Pod[];
}

interface WantedStep {
  readonly kills: readonly { readonly status: { readonly conditions: readonly PodCondition[] } }[];
}

/** The pods of a recording end at once. */
const ENDED: ReadonlySet<string> = new Set();

/** Effects of one synchronization. */
interface Effects {
  readonly gc: ReclaimStep[];
  readonly kills: object[];
  readonly evicted: string[];
  readonly events: object[];
}

/** Parses thresholds, or synchronizes step by step. */
export function run(vector: ParseVector | ScenarioVector): Answer {
  if (vector.kind === 'scenario')
    return { got: { steps: runSteps(vector.input) }, want: { steps: vector.want.steps.map(wantedStep) } };
  return { got: parse(vector.input), want: wantedThresholds(vector.want) };
}

function parse(configuration: ThresholdConfiguration): ParseVector['want'] {
  try {
    return { thresholds: sorted(parseThresholds(configuration).map(describeThreshold)) };
  } catch (error) {
    if (error instanceof EvictionValueError) return { error: true };
    throw error;
  }
}

function describeThreshold({ signal, value, minReclaim, gracePeriodMs }: Threshold): WantedThreshold {
  return {
    signal,
    operator: 'LessThan',
    value: describeValue(value),
    ...(minReclaim && { minReclaim: describeValue(minReclaim) }),
    gracePeriodSeconds: gracePeriodMs / 1000,
  };
}

function describeValue({ quantity, share }: EvictionValue): WantedValue {
  if (quantity !== undefined) return { quantity: formatQuantity(quantity) };
  return { percentage: Number.isFinite(share) ? share : String(share) };
}

/** Rounds percentages to 32 bits: they are recorded with as few digits as distinguish such numbers. */
function wantedThresholds({ thresholds, ...want }: ParseVector['want']): ParseVector['want'] {
  const rounded = (value: WantedValue): WantedValue => ({
    ...value,
    ...(typeof value.percentage === 'number' && { percentage: Math.fround(value.percentage) }),
  });
  if (thresholds === undefined) return want;
  return {
    thresholds: sorted(
      thresholds.map((threshold) => ({
        ...threshold,
        value: rounded(threshold.value),
        ...(threshold.minReclaim && { minReclaim: rounded(threshold.minReclaim) }),
      })),
    ),
  };
}

function sorted(thresholds: readonly WantedThreshold[]): readonly WantedThreshold[] {
  const key = ({ signal, gracePeriodSeconds, value, minReclaim }: WantedThreshold): string =>
    JSON.stringify([signal, gracePeriodSeconds, value.quantity, value.percentage, minReclaim]);
  return thresholds.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function runSteps(input: ScenarioVector['input']): unknown[] {
  let state = initialEvictionState({
    thresholds: parseThresholds(input.config),
    pressureTransitionPeriodMs: input.pressureTransitionPeriodSeconds * 1000,
    maxPodGracePeriodSeconds: input.maxPodGracePeriodSeconds,
    localStorageCapacityIsolation: input.localStorageCapacityIsolation,
  });
  let nowMs = Date.parse(input.start);
  return input.steps.map((step) => {
    nowMs += step.afterSeconds * 1000;
    const effects: Effects = { gc: [], kills: [], evicted: [], events: [] };
    state = runStep(state, step, nowMs, input, effects);
    const has = (condition: string): boolean => state.conditions.some((other) => other === condition);
    return {
      memoryPressure: has('MemoryPressure'),
      diskPressure: has('DiskPressure'),
      pidPressure: has('PIDPressure'),
      ...effects,
      ...(step.admit && { admit: admissions(step.admit, state) }),
    };
  });
}

function runStep(
  state: EvictionState,
  step: Step,
  nowMs: number,
  { pods, dedicatedImageFs, dedicatedContainerFs }: ScenarioVector['input'],
  effects: Effects,
): EvictionState {
  const observed = (summary: object): NodeSummary | undefined =>
    step.statsFail === true ? undefined : toSummary(summary);
  const active = (step.pods ?? []).map((name) => pods.find(({ metadata }) => metadata?.name === name)!);
  const first = synchronize(state, {
    nowMs,
    layout: layoutOf(dedicatedImageFs, dedicatedContainerFs),
    pods: active,
    summary: observed(step.summary),
    running: ENDED,
  });
  const reclaim = carryOut(first, effects);
  if (reclaim === undefined) return first.state;
  const summary = observed(step.summaryAfterGC ?? step.summary);
  const second = synchronizeAfterReclaim(first.state, reclaim, { nowMs, pods: active, summary, running: ENDED });
  carryOut(second, effects);
  return second.state;
}

function layoutOf(dedicatedImageFs: boolean, dedicatedContainerFs: boolean): FileSystemLayout {
  if (dedicatedImageFs) return dedicatedContainerFs ? 'split' : 'dedicated';
  return dedicatedContainerFs ? 'separateContainers' : 'shared';
}

function carryOut(
  { actions }: EvictionDecision,
  effects: Effects,
): Extract<EvictionAction, { kind: 'reclaim' }>['reclaim'] | undefined {
  for (const action of actions) {
    if (action.kind === 'report') {
      const message = `Attempting to reclaim ${action.resource}`;
      effects.events.push({ object: 'node', type: 'Warning', reason: 'EvictionThresholdMet', message });
    } else if (action.kind === 'reclaim') {
      effects.gc.push(...action.reclaim.steps);
      return action.reclaim;
    } else {
      kill(action.eviction, effects);
    }
  }
  return undefined;
}

function kill(eviction: Eviction, { kills, evicted, events }: Effects): void {
  const { pod, gracePeriodSeconds, message, annotations } = eviction;
  const name = pod.metadata?.name ?? '';
  const hasAnnotations = annotations !== undefined && Object.keys(annotations).length > 0;
  events.push({ object: name, type: 'Warning', reason: 'Evicted', message, ...(hasAnnotations && { annotations }) });
  const { phase, reason, message: text, conditions = [] } = evictedStatus(pod, eviction);
  kills.push({
    pod: name,
    gracePeriodSeconds,
    status: { phase, reason, message: text, conditions: conditions.map(withoutEmpty) },
  });
  evicted.push(name);
}

function wantedStep(step: WantedStep): WantedStep {
  const kills = step.kills.map(({ status, ...kill }) => ({
    ...kill,
    status: { ...status, conditions: status.conditions.map(withoutEmpty) },
  }));
  return { ...step, kills };
}

function withoutEmpty(condition: PodCondition): PodCondition {
  const fields = Object.entries(condition).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(fields) as unknown as PodCondition;
}

function admissions(pods: readonly Pod[], state: EvictionState): object {
  const entries = pods.map((pod) => {
    const rejection = admitUnderPressure(pod, state.conditions);
    return [pod.metadata?.name ?? '', { admit: rejection === undefined, ...rejection }] as const;
  });
  return Object.fromEntries(entries);
}

/** Replaces the times of a recorded summary by milliseconds. */
function toSummary(summary: object): NodeSummary {
  const { node, pods } = withMilliseconds(summary) as Pick<NodeSummary, 'node'> & {
    readonly pods: NodeSummary['pods'] | null;
  };
  return { node, pods: pods ?? [] };
}

function withMilliseconds(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(withMilliseconds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      if (key !== 'time') return [key, withMilliseconds(item)];
      return [key, typeof item === 'string' ? Date.parse(item) : 0];
    }),
  );
}
