import type { RpcName } from '@rxlet/fake-cri';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createAgentModel, type ModelStep } from '../test-support/agent-model.ts';
import { podKinds } from '../test-support/model-pods.ts';

const name = fc.constantFrom('a', 'b', 'c');
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

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      name,
      kind: fc.constantFrom(...podKinds),
      version: fc.nat(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unset' as const), name }) },
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
      .record({
        do: fc.constant('fault' as const),
        rpc,
        failpoint,
        place: fc.constantFrom('before' as const, 'after' as const),
      })
      // A pull may take any time, so one that hangs does so for ever.
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
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('kill' as const), afterMs: fc.nat(300), pauseMs: fc.nat(5_000) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.oneof(fc.nat(300), fc.nat(20_000)) }),
  },
);

describe('an agent, whatever happens', () => {
  it('never doubles or stops what is to run, and in the end runs exactly what it should', async () => {
    // Another seed or number of runs, or the replay of a failure: what the report of one says.
    const { RXLET_TEST_SEED: seed = '2026', RXLET_TEST_PATH: path, RXLET_TEST_RUNS: numRuns = '40' } = process.env;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.record({ latencyMs: fc.constantFrom(0, 5, 40), hints: fc.boolean() }),
        fc.nat(),
        async (steps, options, agentSeed) => {
          const model = await createAgentModel(options, agentSeed);
          try {
            for (const one of steps) await model.step(one);
            await model.settle();
            await model.empty();
          } finally {
            await model[Symbol.asyncDispose]();
          }
        },
      ),
      { seed: Number(seed), numRuns: Number(numRuns), ...(path !== undefined && { path }) },
    );
  }, 600_000);
});
