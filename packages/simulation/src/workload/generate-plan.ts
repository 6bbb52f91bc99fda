import { FAULT_KINDS } from '../faults/fault-kinds.ts';
import { chooseLastingFault } from '../faults/lasting-faults.ts';
import { PART_KINDS } from '../parts/part-kinds.ts';
import type { PartKind } from '../parts/world-part.ts';
import { type Choices, choicesOf } from './choices.ts';
import { clusterPodKinds } from './cluster-pods.ts';
import type { PodExtras } from './part-steps.ts';
import type { Plan } from './plan.ts';
import type { Workload } from './workloads.ts';
import { podKinds } from './pod-kinds.ts';
import { spreadOverNodes } from './spread-over-nodes.ts';
import type { Step, TimedStep } from './step.ts';
import { DURATION_MS, times } from './times.ts';

/** The workloads have ten pods. */
const POD_NAMES = Array.from({ length: 10 }, (_, index) => `p${String(index)}`);
/** In a cluster, these are static pods; the others are of the API server. */
const STATIC_NAMES = ['p8', 'p9'];
const LASTING_SHARE = 0.25;
/** A fault that stays on one node tests that the others converge. */
const LASTING_SHARE_OF_NODES = 0.5;
/** A kind of faults is enabled by so many seeds. Runs with every fault hide failures that one fault alone shows. */
const ENABLED_SHARE = 0.15;
const PART_SHARE = 0.5;

/** Options of {@link generatePlan}. */
export interface PlanOptions {
  readonly workload?: Workload;
}

/** Returns the plan of a seed. */
export function generatePlan(seed: number, { workload = 'standard' }: PlanOptions = {}): Plan {
  const choose = choicesOf(seed);
  const hasApi = workload !== 'standard';
  const kinds = FAULT_KINDS.filter(
    ({ needsApi = false, workload: only = workload }) => (hasApi || !needsApi) && only === workload,
  ).filter(() => choose.chance(ENABLED_SHARE));
  const lastingShare = workload === 'nodes' ? LASTING_SHARE_OF_NODES : LASTING_SHARE;
  const lasting = choose.chance(lastingShare) ? chooseLastingFault(choose, workload, POD_NAMES) : undefined;
  const faults = kinds.flatMap((kind) =>
    times(choose, choose.pick([1, 2, 4])).map((atMs): TimedStep => ({ atMs, step: kind.make(choose, POD_NAMES) })),
  );
  const parts = workload === 'extended' ? PART_KINDS.filter(() => choose.chance(PART_SHARE)) : [];
  const pods: PodChoices = { choose, hasApi, parts };
  const steps = [...creations(pods), ...changes(pods), ...exits(choose), ...partSteps(pods), ...faults];
  const plan: Plan = {
    seed,
    world: {
      workload,
      latencyMs: choose.pick([0, 5, 40]),
      hasEvents: choose.chance(0.7),
      apiLatencyMs: choose.pick([0, 10]),
      hasStreamingLists: choose.chance(0.5),
      hasOfflineCache: choose.chance(0.5),
    },
    durationMs: DURATION_MS,
    podNames: POD_NAMES,
    faults: kinds.map(({ name }) => name),
    ...(parts.length > 0 && { parts: parts.map(({ name }) => name) }),
    ...(lasting !== undefined && { lasting }),
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
  };
  return workload === 'nodes' ? spreadOverNodes(plan, choose, STATIC_NAMES) : plan;
}

/** Choices of pods, and what there is to choose from. */
interface PodChoices {
  readonly choose: Choices;
  readonly hasApi: boolean;
  readonly parts: readonly PartKind[];
}

function creation({ choose, hasApi, parts }: PodChoices, name: string): Step {
  const version = choose.integer(0, 1);
  if (!hasApi || STATIC_NAMES.includes(name)) {
    const kind = choose.pick(podKinds);
    const own = parts.flatMap((part) => part.staticExtras?.(choose) ?? []);
    return {
      do: 'set',
      name,
      kind,
      version,
      ...(own.length > 0 && { extras: Object.assign({}, ...own) as PodExtras }),
    };
  }
  const kind = choose.pick(clusterPodKinds);
  if (parts.length === 0) return { do: 'create', name, kind, version };
  const extras: PodExtras = Object.assign({}, ...parts.map((part) => part.extras?.(choose) ?? {})) as PodExtras;
  return { do: 'create', name, kind, version, extras };
}

/** Returns the steps of the enabled parts. */
function partSteps({ choose, parts }: PodChoices): TimedStep[] {
  return parts.flatMap((part) => {
    const { make, steps } = part;
    if (make === undefined) return [];
    return times(choose, steps).flatMap((atMs): TimedStep[] => {
      const step: TimedStep = { atMs, step: make(choose, POD_NAMES) };
      const met = part.meet?.(choose, POD_NAMES) ?? [];
      return [step, ...met.map((one) => ({ ...one, atMs: Math.min(atMs + one.atMs, DURATION_MS) }))];
    });
  });
}

function creations(pods: PodChoices): TimedStep[] {
  const { choose } = pods;
  const spreadMs = choose.pick([0, 2_000, 300_000]);
  return POD_NAMES.map((name) => ({ atMs: choose.integer(0, spreadMs), step: creation(pods, name) }));
}

/** Returns the changes that users make. */
function changes(pods: PodChoices): TimedStep[] {
  const { choose, hasApi } = pods;
  return times(choose, choose.pick([1, 5, 20])).map((atMs) => {
    const name = choose.pick(POD_NAMES);
    const isStatic = !hasApi || STATIC_NAMES.includes(name);
    return { atMs, step: isStatic ? staticChange(pods, name) : apiChange(pods, name) };
  });
}

function staticChange(pods: PodChoices, name: string): Step {
  const { choose, hasApi } = pods;
  const mirror = (): Step =>
    choose.pick([
      { do: 'delete', name, graceSeconds: choose.pick([0, 1]) },
      { do: 'overwrite', name },
    ]);
  return choose.weighted([
    [5, creation(pods, name)],
    [3, { do: 'unset', name }],
    ...(hasApi ? ([[2, mirror()]] as const) : []),
  ]);
}

function apiChange(pods: PodChoices, name: string): Step {
  const { choose } = pods;
  return choose.weighted<Step>([
    [4, creation(pods, name)],
    [6, { do: 'delete', name, graceSeconds: choose.pick([undefined, undefined, 0, 1, 5]) }],
    [1, { do: 'hold', name, isHeld: choose.chance(0.5) }],
    [1, { do: 'label', name, value: choose.pick(['a', 'b']) }],
    [1, { do: 'image', name, version: choose.integer(0, 2) }],
    [1, { do: 'overwrite', name }],
    [2, { do: 'object', kind: choose.pick(['ConfigMap', 'Secret']), version: choose.pick([1, 2, 3, undefined]) }],
  ]);
}

/** Returns the exits of containers. */
function exits(choose: Choices): TimedStep[] {
  return times(choose, choose.pick([1, 3, 10])).map((atMs) => ({
    atMs,
    step: { do: 'exit', name: choose.pick(POD_NAMES), index: choose.integer(0, 2), code: choose.pick([0, 1, 137]) },
  }));
}
