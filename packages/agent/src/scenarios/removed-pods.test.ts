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

it('tries ever less often to remove what the runtime does not let go, and says so', async () => {
  const bench = createAgentBench();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const calls: number[] = [];
  const { removePodSandbox } = bench.fake.runtime;
  bench.fake.runtime.removePodSandbox = (request, options) => {
    calls.push(bench.clock.now());
    return removePodSandbox(request, options);
  };
  await bench.start();
  bench.desire(manifestPod('web'));
  await bench.clock.advance(5_000);
  // containerd misses a container within the sandbox, not the sandbox.
  bench.fake.setFailpoint('removePodSandbox', 'error(not_found: container "1a2b" in namespace "k8s.io")');
  bench.desire();
  await bench.clock.advance(120_000);
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.length).toBeLessThan(15);
  const { pods } = bench.agent().debugState() as { pods: readonly { lastError?: string }[] };
  expect(pods).toMatchObject([{ lastError: expect.stringContaining('1a2b') as string }]);
  bench.fake.setFailpoint('removePodSandbox', 'off');
  await bench.clock.advance(60_000);
  expect(bench.fake.snapshot()).toMatchObject({ containers: [], sandboxes: [] });
});
