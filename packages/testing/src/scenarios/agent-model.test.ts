import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createAgentModel, type ModelStep } from '../model/agent-model.ts';
import {
  MODEL_TIMEOUT_MS,
  modelRunParameters,
  runtimeSteps,
  sourceSteps,
  throwSteps,
} from '../test-support/runtime-step.ts';

const name = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<ModelStep> = fc.oneof(...sourceSteps(name), ...runtimeSteps(name), ...throwSteps());

describe('an agent under any sequence of changes and faults', () => {
  it(
    'never doubles or stops a desired container, and converges on the desired pods',
    async () => {
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
        modelRunParameters(30),
      );
    },
    MODEL_TIMEOUT_MS,
  );
});
