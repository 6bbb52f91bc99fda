import { ContainerState } from '@rxlet/cri-api';
import { PodLabel } from '@rxlet/pod-model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

async function started(): Promise<TestNode> {
  const bench = createTestNode({ latencyMs: 20 });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  await bench.start();
  return bench;
}
/** Stopping takes two seconds, because the process ignores the signal. */
const web = (version: number) =>
  manifestPod(
    'web',
    { terminationGracePeriodSeconds: 2, command: ['sh', '-c', "trap '' TERM; while true; do sleep 1; done"] },
    version,
  );
const uids = (bench: TestNode) => [...new Set(bench.instances('web').map(({ labels }) => labels[PodLabel.podUid]))];

describe('a static pod', () => {
  it('is replaced once, by its last version, after many edits and the end of the first', async () => {
    const bench = await started();
    bench.desire(web(1));
    await bench.clock.advance(5_000);
    for (const version of [2, 3, 4]) {
      bench.desire(web(version));
      await bench.clock.advance(100);
      expect(bench.running()).toEqual(['web/app']);
      expect(uids(bench)).toEqual(['uid-web-1']);
    }
    await bench.clock.advance(10_000);
    expect(bench.running()).toEqual(['web/app']);
    expect(uids(bench)).toEqual(['uid-web-4']);
    expect(bench.agent().pods.list()).toMatchObject([{ metadata: { uid: 'uid-web-4' }, status: { phase: 'Running' } }]);
  });

  it('comes back under its UID after its end when it is edited and edited back, with its restart count', async () => {
    const bench = await started();
    bench.desire(web(1));
    await bench.clock.advance(5_000);
    bench.fake.exitContainer(bench.instances('web')[0]!.id, 1);
    await bench.clock.advance(5_000);
    const before = bench.instances('web').map(({ id }) => id);
    bench.desire(web(2));
    await bench.clock.advance(100);
    bench.desire(web(1));
    // The container has exited before, so that it backs off.
    await bench.clock.advance(20_000);
    expect(bench.running()).toEqual(['web/app']);
    const instance = bench.instances('web').find(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    expect(before).not.toContain(instance?.id);
    expect(uids(bench)).toEqual(['uid-web-1']);
    const [pod] = bench.agent().pods.list();
    expect(pod?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 2 }] });
  });

  it('restarts its container when it is removed and desired again before it has ended', async () => {
    const bench = await started();
    bench.desire(web(1));
    await bench.clock.advance(5_000);
    bench.desire();
    await bench.clock.advance(100);
    bench.desire(web(1));
    await bench.clock.advance(10_000);
    expect(bench.running()).toEqual(['web/app']);
    const [pod] = bench.agent().pods.list();
    expect(pod?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
    bench.desire();
    await bench.clock.advance(120_000);
    await bench.expectNoLeaks();
  });

  it('has completed while its containers are there, and runs again as soon as they have been collected', async () => {
    const bench = await started();
    const job = manifestPod('job', { restartPolicy: 'Never', command: ['true'] });
    const phase = () => bench.agent().pods.list()[0]?.status?.phase;
    bench.desire(job);
    await bench.until(() => phase() === 'Succeeded', 10_000);
    await bench.clock.advance(5_000);
    const [first] = bench.instances('job');
    bench.desire();
    await bench.clock.advance(10_000);
    bench.desire(job);
    await bench.clock.advance(10_000);
    expect(phase()).toBe('Succeeded');
    expect(bench.instances('job').map(({ id }) => id)).toEqual([first?.id]);
    bench.desire();
    await bench.until(() => bench.fake.snapshot().sandboxes.length === 0, 120_000);
    await bench.clock.advance(100);
    bench.desire(job);
    await bench.until(() => phase() === 'Succeeded' && bench.instances('job').length === 1, 10_000);
    expect(bench.instances('job')[0]?.id).not.toBe(first?.id);
  });

  it('waits for its earlier version that runs since before the agent died', async () => {
    const bench = await started();
    bench.desire(web(1));
    await bench.clock.advance(5_000);
    await bench.kill();
    bench.desire(web(2));
    await bench.start();
    let mixed = false;
    for (let ms = 0; ms < 10_000; ms += 50) {
      await bench.clock.advance(50);
      mixed ||= bench.running().length > 1;
    }
    expect(mixed).toBe(false);
    expect(uids(bench)).toEqual(['uid-web-2']);
  });
});

describe('pods that end', () => {
  it('do not become orphans at any moment between two housekeepings', async () => {
    const orphaned: number[] = [];
    const bench = createTestNode({ latencyMs: 35 });
    onTestFinished(() => bench[Symbol.asyncDispose]());
    await bench.start({
      ports: {
        metrics: {
          counter: ({ name }) => ({
            inc: () => void (name === 'kubelet_orphaned_runtime_pods_total' && orphaned.push(bench.clock.now())),
          }),
          gauge: () => ({ set: () => undefined }),
          histogram: () => ({ observe: () => undefined }),
        },
      },
    });
    for (let round = 0; round < 40; round += 1) {
      bench.desire(manifestPod('one', { terminationGracePeriodSeconds: 1 }, round));
      await bench.clock.advance(2_990 + round * 51);
      bench.desire();
      await bench.clock.advance(4_000);
      expect(bench.running()).toEqual([]);
    }
    expect(orphaned).toEqual([]);
  });
});
