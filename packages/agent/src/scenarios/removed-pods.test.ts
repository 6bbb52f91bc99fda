import { createRuntimeManager } from '@rxlet/runtime-manager';
import { expect, it, onTestFinished } from 'vitest';
import { createAgentBench, manifestPod } from '../test-support/agent-bench.ts';

it('stops a pod again when it still runs though it was said to be stopped', async () => {
  const bench = createAgentBench();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  let lies = 2;
  await bench.start({
    createRuntimeManager(ports, options) {
      const manager = createRuntimeManager(ports, options);
      return {
        ...manager,
        killPod: (...args) => ((lies -= 1) < 0 ? manager.killPod(...args) : Promise.resolve({ results: [] })),
      };
    },
  });
  bench.desire(manifestPod('web', { terminationGracePeriodSeconds: 1 }));
  await bench.clock.advance(5_000);
  bench.desire();
  await bench.clock.advance(5_000);
  expect(bench.running()).toEqual(['web/app']);
  const { pods } = bench.agent().debugState() as { pods: readonly { lastError?: string }[] };
  expect(pods).toMatchObject([{ lastError: 'the runtime still runs app after it stopped the pod' }]);
  await bench.clock.advance(40_000);
  expect(bench.fake.snapshot()).toMatchObject({ containers: [], sandboxes: [] });
});
