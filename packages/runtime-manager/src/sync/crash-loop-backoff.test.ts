import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';
import { noopEventRecorder, seededRandom } from '@rxlet/component-base';
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
  it('are spaced out by 10 s doubling to 5 min, for two hours', async () => {
    const b = bench({ ports: { events: noopEventRecorder } });
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    const startMs = b.clock.now();
    const starts: number[] = [];
    b.manager.results$.subscribe(({ action, reason }) => {
      if (action === 'StartContainer' && reason === undefined) starts.push((b.clock.now() - startMs) / 1000);
    });
    while (b.clock.now() - startMs < 7_200_000) {
      const { error } = await b.sync(pod);
      await b.clock.settle();
      if (error?.backoffUntilMs !== undefined) await b.clock.advance(error.backoffUntilMs - b.clock.now());
    }
    expect(starts.slice(0, 10)).toEqual([0, 0, 10, 30, 70, 150, 310, 610, 910, 1210]);
    expect(starts).toHaveLength(29);
  });

  it('are shown with the kubelet’s words', async () => {
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

  it('of one container do not hold up the others', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'bad', command: ['false'] }, { name: 'good' }] });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['bad/0 exited', 'good/0 running', 'bad/1 exited']);
  });

  it('are forgotten after ten minutes of running well', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main', command: ['sleep', '601'] }] });
    for (let round = 0; round < 4; round++) {
      expect((await b.settle(pod)).error).toBeUndefined();
      await b.clock.advance(601_000);
    }
  });

  it('never wait longer than the node allows, not even at first', async () => {
    const b = bench({ options: { crashLoopBackoff: { maxMs: 4000 } } });
    const pod = testPod({ containers: [{ name: 'main', command: ['false'] }] });
    for (let round = 0; round < 4; round++) {
      const { error } = await b.settle(pod);
      expect(error?.failures[0]?.message).toContain('back-off 4s restarting');
      await b.clock.advance(4000);
    }
  });

  it('begin anew with another image or other resources', async () => {
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
});
