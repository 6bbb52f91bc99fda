import { createRuntimeManager } from '@rxlet/runtime-manager';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

it('stops a pod again with the next housekeeping when it still runs though the runtime reported it stopped', async () => {
  const bench = createTestNode();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  let lies = 2;
  await bench.start({
    parts: {
      createRuntimeManager(ports, options) {
        const manager = createRuntimeManager(ports, options);
        return {
          ...manager,
          killPod: (...args) => ((lies -= 1) < 0 ? manager.killPod(...args) : Promise.resolve({ results: [] })),
        };
      },
    },
  });
  bench.desire(manifestPod('web', { terminationGracePeriodSeconds: 1 }));
  await bench.clock.advance(5_000);
  bench.desire();
  await bench.clock.advance(1_000);
  expect(bench.running()).toEqual(['web/app']);
  const { pods } = bench.agent().debugState() as { pods: readonly { lastError?: string }[] };
  expect(pods).toMatchObject([{ lastError: 'the runtime still runs app after it stopped the pod' }]);
  await bench.clock.advance(5_000);
  expect(bench.fake.snapshot()).toMatchObject({ containers: [], sandboxes: [] });
});

describe('a pod whose contents cannot be removed', () => {
  const start = async (failpoint: (fake: TestNode['fake']) => void): Promise<TestNode> => {
    const bench = createTestNode();
    onTestFinished(() => bench[Symbol.asyncDispose]());
    await bench.start();
    bench.desire(manifestPod('web', { terminationGracePeriodSeconds: 1 }));
    await bench.clock.advance(5_000);
    failpoint(bench.fake);
    return bench;
  };

  it.each<[string, (fake: TestNode['fake']) => void]>([
    ['a container that cannot be removed', (fake) => fake.setFailpoint('removeContainer', 'error(internal: injected)')],
    // As containerd: a container of the sandbox is missing, not the sandbox.
    [
      'a sandbox that lost a container',
      (fake) => fake.setFailpoint('removePodSandbox', 'error(not_found: container "1a2b" in namespace "k8s.io")'),
    ],
    ['a removal that hangs', (fake) => fake.setFailpoint('removeContainer', 'hang')],
  ])('finishes, lets its next version start, and is removed later: %s', async (_case, failpoint) => {
    const bench = await start(failpoint);
    bench.desire(manifestPod('web', {}, 2));
    await bench.clock.advance(45_000);
    expect(bench.running()).toEqual(['web/app']);
    expect(bench.agent().pods.list()).toMatchObject([{ metadata: { uid: 'uid-web-2' }, status: { phase: 'Running' } }]);
    const reported = bench
      .agent()
      .events.list()
      .filter(({ reason }) => reason === 'FailedKillPod');
    expect(reported).toMatchObject([{ type: 'Warning', object: { name: 'web', uid: 'uid-web-1' } }]);
    expect(reported[0]?.message).toContain('error removing pod after it stopped');

    bench.fake.clearFailpoints();
    await bench.clock.advance(150_000);
    const uids = bench.fake.snapshot().sandboxes.map(({ metadata }) => metadata?.uid);
    expect(uids).toEqual(['uid-web-2']);
    expect(bench.instances('web')).toHaveLength(1);
  });

  it('lets its next version start although a file is left in its directory', async () => {
    const bench = await start(() => undefined);
    bench.files.put('/root/pods/uid-web-1/volumes/kubernetes.io~csi/data/kept', '');
    bench.desire(manifestPod('web', {}, 2));
    await bench.clock.advance(10_000);
    expect(bench.running()).toEqual(['web/app']);
    expect(bench.agent().pods.list()).toMatchObject([{ metadata: { uid: 'uid-web-2' } }]);
    expect(bench.files.info('/root/pods/uid-web-1/volumes/kubernetes.io~csi/data/kept')).toBeDefined();
  });

  it('is retried with each garbage collection after the pod has ended', async () => {
    const calls: number[] = [];
    const bench = await start((fake) => {
      const { removePodSandbox } = fake.runtime;
      fake.runtime.removePodSandbox = (request, options) => {
        calls.push(bench.clock.now());
        return removePodSandbox(request, options);
      };
      fake.setFailpoint('removePodSandbox', 'error(internal: injected)');
    });
    bench.desire();
    await bench.clock.advance(305_000);
    expect(bench.agent().pods.list()).toEqual([]);
    expect(calls.length).toBeGreaterThanOrEqual(5);
    expect(calls.length).toBeLessThanOrEqual(7);
  });
});
