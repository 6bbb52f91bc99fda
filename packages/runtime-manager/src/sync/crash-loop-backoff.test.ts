import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';
import { seededRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Container, Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(parts: Partial<ManagerBenchParts> = {}): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  return { ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ...parts }), fake };
}

describe('crash loops', () => {
  it('back off from 10 s, doubling to 5 min, for two hours', async () => {
    const b = bench({ ports: { events: noopEventRecorder } });
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    const startMs = b.clock.now();
    const starts: number[] = [];
    while (b.clock.now() - startMs < 7_200_000) {
      const { results, error } = await b.sync(pod);
      const hasStarted = results.some(({ action, reason }) => action === 'StartContainer' && reason === undefined);
      if (hasStarted) starts.push((b.clock.now() - startMs) / 1000);
      await b.clock.settle();
      if (error?.backoffUntilMs !== undefined) await b.clock.advance(error.backoffUntilMs - b.clock.now());
    }
    expect(starts.slice(0, 10)).toEqual([0, 0, 10, 30, 70, 150, 310, 610, 910, 1210]);
    expect(starts).toHaveLength(29);
  });

  it('appear with the kubelet’s messages', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    const waiting = await b.settle(pod);
    expect(waiting.error?.failures).toEqual([
      {
        action: 'StartContainer',
        target: 'main',
        reason: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=main pod=web_default(uid-web)',
        backoffUntilMs: b.clock.now() + 10_000,
      },
    ]);
    expect(b.eventTexts()).toContain('BackOff: Back-off restarting failed container main in pod web_default(uid-web)');
  });

  it('do not delay the other containers', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'bad', command: ['false'] }, { name: 'good' }] });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['bad/0 exited', 'good/0 running', 'bad/1 exited']);
  });

  it('reset after ten minutes of running', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main', command: ['sleep', '601'] }] });
    for (let round = 0; round < 4; round++) {
      expect((await b.settle(pod)).error).toBeUndefined();
      await b.clock.advance(601_000);
    }
  });

  it('survive garbage collection until they expire', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main' }] });
    const crash = async (): Promise<number> => {
      b.fake.exitContainer(await b.idOf(pod, 'main'), 1);
      const { error } = await b.settle(pod);
      const waitMs = error === undefined ? 0 : error.backoffUntilMs! - b.clock.now();
      await b.clock.advance(waitMs);
      await b.settle(pod);
      return waitMs / 1000;
    };
    const collect = () => b.manager.collectGarbage({ allSourcesReady: true, shouldContentBeRemoved: () => false });
    const run = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += 60) {
        await b.clock.advance(Math.min(60, seconds - passed) * 1000);
        await collect();
      }
    };
    await b.settle(pod);
    expect([await crash(), await crash(), await crash()]).toEqual([0, 10, 20]);
    await run(599);
    expect(await crash()).toBe(40);
    await run(601);
    expect(await crash()).toBe(0);
  });

  it('never back off longer than the node’s maximum, even at first', async () => {
    const b = bench({ options: { crashLoopBackoff: { maxMs: 4000 } } });
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    for (let round = 0; round < 4; round++) {
      const { error } = await b.settle(pod);
      expect(error?.failures[0]?.message).toContain('back-off 4s restarting');
      await b.clock.advance(4000);
    }
  });

  it('reset with another image or other resources', async () => {
    const b = bench();
    const of = (container: Partial<Container>): Pod =>
      testPod({ containers: [{ name: 'main', command: ['false'], ...container }] });
    const changes = [{}, { image: 'other:1' }, { image: 'other:1', resources: { limits: { cpu: '1' } } }];
    for (const change of changes) {
      await b.settle(of(change));
      await b.clock.advance(10_000);
      const { error } = await b.settle(of(change));
      expect(error?.failures[0]?.message).toContain('back-off 20s restarting');
      expect(error?.backoffUntilMs).toBe(b.clock.now() + 20_000);
    }
  });

  it.each([-3_600_000, 3_600_000])('keep their delays when the wall clock is set by %s ms', async (stepMs) => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    await b.settle(pod);
    await b.clock.advance(4000);
    b.clock.setWallClock(b.clock.now() + stepMs);
    const waiting = await b.settle(pod);
    expect(waiting.error?.backoffUntilMs).toBe(b.clock.now() + 6000);
    await b.clock.advance(6000);
    const next = await b.settle(pod);
    expect(next.error?.failures[0]?.message).toContain('back-off 20s restarting');
    expect(next.error?.backoffUntilMs).toBe(b.clock.now() + 20_000);
    expect((await b.containers(pod)).at(-1)).toBe('main/2 exited');
  });

  it('wait no longer than their delay after an exit in the future', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main', command: ['sleep', '1'] }] });
    await b.settle(pod);
    await b.clock.advance(1000);
    await b.settle(pod);
    await b.clock.advance(1000);
    b.clock.setWallClock(b.clock.now() - 3_600_000);
    expect((await b.settle(pod)).error?.backoffUntilMs).toBe(b.clock.now() + 10_000);
    await b.clock.advance(10_000);
    expect((await b.settle(pod)).error).toBeUndefined();
  });
});
