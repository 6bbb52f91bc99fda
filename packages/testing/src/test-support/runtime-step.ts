import type { RpcName } from '@rxlet/fake-cri';
import fc from 'fast-check';
import type { SourceStep, ThrowStep } from '../model/agent-model.ts';
import { podKinds } from '../model/model-pods.ts';
import type { RuntimeStep } from '../model/runtime-step.ts';
import { rejectingPlaces, throwingPlaces } from '../model/throwing-parts.ts';

/** Steps of a kind, and how often they are chosen. */
export type WeightedSteps<T> = readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<T> }[];

const rpc = fc.constantFrom<RpcName>(
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'podSandboxStatus',
  'listPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'containerStatus',
  'listContainers',
  'execSync',
  'status',
  'pullImage',
  'imageStatus',
);
const failpoint = fc
  .tuple(
    fc.constantFrom('', '1*off->', '3*off->'),
    fc.integer({ min: 1, max: 3 }),
    fc.constantFrom('error(internal: injected)', 'error(unavailable: injected)', 'lost', 'hang', 'delay(3000)'),
  )
  .map(([skipped, count, action]) => `${skipped}${String(count)}*${action}`);

/** Returns changes of the source `file`. */
export function sourceSteps(name: fc.Arbitrary<string>): WeightedSteps<SourceStep> {
  const kind = fc.constantFrom(...podKinds);
  return [
    { weight: 4, arbitrary: fc.record({ do: fc.constant('set' as const), name, kind, version: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('unset' as const), name }) },
  ];
}

/** Returns what happens to the runtime and to the agent. */
export function runtimeSteps(name: fc.Arbitrary<string>): WeightedSteps<RuntimeStep> {
  const place = fc.constantFrom('before' as const, 'after' as const);
  const pauseMs = fc.nat(5_000);
  return [
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('exit' as const),
        name,
        index: fc.nat(2),
        code: fc.constantFrom(0, 1, 137),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail-sandbox' as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), name, index: fc.nat(2) }) },
    {
      weight: 4,
      arbitrary: fc
        .record({ do: fc.constant('fault' as const), rpc, failpoint, place })
        // A pull has no deadline, so one that hangs never ends.
        .filter((fault) => fault.rpc !== 'pullImage' || !fault.failpoint.includes('hang')),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('event-faults' as const),
        probability: fc.constantFrom(0, 0.3, 1),
        delayMs: fc.constantFrom(0, 700, 5_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), ms: fc.nat(40_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), afterMs: fc.nat(300), pauseMs }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), calls: fc.nat(150), pauseMs }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.oneof(fc.nat(300), fc.nat(20_000)) }),
    },
  ];
}

/** Returns exceptions in handlers, steps and parts of the core. */
export function throwSteps(): WeightedSteps<ThrowStep> {
  const place = fc.constantFrom(...throwingPlaces.filter((one) => !rejectingPlaces.has(one)));
  return [
    { weight: 4, arbitrary: fc.record({ do: fc.constant('throw' as const), place, times: fc.constantFrom(1, 2, 30) }) },
  ];
}

/** Parameters of a model test: another seed, another number of runs, or the replay of a failure as its report describes it. */
export function modelRunParameters(numRuns: number): { seed: number; numRuns: number; path?: string } {
  const { RXLET_TEST_SEED: seed = '2026', RXLET_TEST_PATH: path, RXLET_TEST_RUNS: runs } = process.env;
  return {
    seed: Number(seed),
    numRuns: runs === undefined ? numRuns : Number(runs),
    ...(path !== undefined && { path }),
  };
}

/** Longest duration of a model test, in milliseconds. */
export const MODEL_TIMEOUT_MS = process.env['RXLET_TEST_RUNS'] === undefined ? 120_000 : 86_400_000;
