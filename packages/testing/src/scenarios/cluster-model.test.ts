import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createClusterModel } from '../model/cluster-model.ts';
import type { ClusterStep } from '../model/cluster-step.ts';
import { apiSteps, serverSteps } from '../test-support/cluster-step.ts';
import { MODEL_TIMEOUT_MS, modelRunParameters, runtimeSteps, sourceSteps } from '../test-support/runtime-step.ts';

const apiName = fc.constantFrom('a', 'b', 'c');
const staticName = fc.constantFrom('s');
const step: fc.Arbitrary<ClusterStep> = fc.oneof(
  ...sourceSteps(staticName).map(({ arbitrary }) => ({ weight: 1, arbitrary })),
  ...apiSteps(apiName, staticName),
  ...serverSteps(),
  ...runtimeSteps(fc.constantFrom('a', 'b', 'c', 's')),
);

describe('an agent in a cluster under any sequence of requests and faults', () => {
  it(
    'runs each pod once, confirms deletions after the end of the containers, and converges with the API server',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 30 }),
          fc.record({
            latencyMs: fc.constantFrom(0, 5, 40),
            hints: fc.boolean(),
            apiLatencyMs: fc.constantFrom(0, 10),
            hasStreamingLists: fc.boolean(),
            hasOfflineCache: fc.boolean(),
          }),
          fc.nat(),
          async (steps, options, agentSeed) => {
            const model = await createClusterModel(options, agentSeed);
            try {
              for (const one of steps) await model.step(one);
              await model.settle();
              await model.empty();
            } finally {
              await model[Symbol.asyncDispose]();
            }
          },
        ),
        modelRunParameters(3),
      );
    },
    MODEL_TIMEOUT_MS,
  );
});
