import { ContainerState } from '@rxlet/cri-api';
import type { ContainerStatus } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const TWO_HOURS_MS = 7_200_000;

const benches: TestNode[] = [];
const bench = (): TestNode => {
  const made = createTestNode();
  benches.push(made);
  return made;
};
afterEach(async () => {
  for (const made of benches.splice(0)) {
    await made[Symbol.asyncDispose]();
    expect(made.clock.pendingTimers).toBe(0);
  }
});

const shell = (name: string, script: string) => ({
  name,
  image: `registry.example/${name}:1`,
  command: ['sh', '-c', script],
});

/** The rule: the first restart is immediate; each further one comes 10 s, doubling to 300 s, after the end of the instance before. */
function waitBefore(restart: number): number {
  return restart === 1 ? 0 : Math.min(10_000 * 2 ** (restart - 2), 300_000);
}

/** The times at which instances that run for `runsMs` each are started until `untilMs`. */
function startsByRule(firstMs: number, runsMs: number, untilMs: number): number[] {
  const starts: number[] = [];
  for (let atMs = firstMs; atMs <= untilMs; atMs += runsMs + waitBefore(starts.length)) starts.push(atMs);
  return starts;
}

const containerStatus = (made: TestNode, pod: string, container: string): ContainerStatus =>
  made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === pod)!
    .status!.containerStatuses!.find(({ name }) => name === container)!;

describe('two hours of crash loops', () => {
  it('restart each container of each pod at the times that the rule gives', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('one', { containers: [shell('bad', 'exit 1'), { name: 'good', image: 'g:1', command: ['serve'] }] }),
      manifestPod('two', { containers: [shell('short', 'sleep 3; exit 2'), shell('long', 'sleep 100; exit 0')] }),
      manifestPod('three', { containers: [shell('bad', 'exit 1'), shell('worse', 'exit 255')] }),
    );
    let mostDead = 0;
    for (let minute = 0; minute < 120; minute++) {
      await made.clock.advance(60_000);
      const dead = made.fake.snapshot().containers.filter(({ state }) => state === ContainerState.CONTAINER_EXITED);
      mostDead = Math.max(mostDead, dead.length);
    }
    const untilMs = TWO_HOURS_MS;
    for (const [pod, container, runsMs] of [
      ['one', 'bad', 0],
      ['two', 'short', 3_000],
      ['two', 'long', 100_000],
      ['three', 'bad', 0],
      ['three', 'worse', 0],
    ] as const) {
      const starts = made.startsMs(pod, container);
      expect(starts, `${pod}/${container}`).toEqual(startsByRule(starts[0]!, runsMs, untilMs));
      expect(starts.length).toBeGreaterThan(17);
      expect(containerStatus(made, pod, container).restartCount).toBe(starts.length - 1);
    }
    const [first = 0, ...restarts] = made.startsMs('one', 'bad');
    expect(restarts.slice(0, 9).map((atMs) => (atMs - first) / 1000)).toEqual([
      0, 10, 30, 70, 150, 310, 610, 910, 1210,
    ]);
    expect(made.startsMs('one', 'good')).toHaveLength(1);
    expect(containerStatus(made, 'one', 'bad')).toMatchObject({
      ready: false,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 5m0s restarting failed container=bad pod=one_default(uid-one-1)',
        },
      },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
    // Five containers that die: the newest dead instance of each is kept, and never more than one beside it.
    expect(mostDead).toBeGreaterThanOrEqual(5);
    expect(mostDead).toBeLessThanOrEqual(10);
    const backOffs = made
      .agent()
      .events.list()
      .filter(({ reason }) => reason === 'BackOff');
    expect(new Set(backOffs.map(({ message }) => message))).toEqual(
      new Set(
        ['bad one', 'short two', 'long two', 'bad three', 'worse three'].map((names) => {
          const [container, pod] = names.split(' ') as [string, string];
          return `Back-off restarting failed container ${container} in pod ${pod}_default(uid-${pod}-1)`;
        }),
      ),
    );
  });

  it('show each wait in Go’s notation while it lasts', async () => {
    const made = bench();
    await made.start();
    const seen: string[] = [];
    made.agent().pods.changes$.subscribe(({ pod }) => {
      const message = pod.status?.containerStatuses?.[0]?.state?.waiting?.message;
      const wait = /^back-off (\S+) restarting/.exec(message ?? '')?.[1];
      if (wait !== undefined && wait !== seen.at(-1)) seen.push(wait);
    });
    made.desire(manifestPod('crash', { command: ['sh', '-c', 'exit 1'] }));
    await made.clock.advance(TWO_HOURS_MS);
    expect(seen).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s']);
  });
});

describe('a container that crashed before', () => {
  /**
   * Lets a container crash right after each of its first starts, and then run for a time before it crashes again. @returns seconds from crash to restart, and
   * from the next crash.
   */
  const afterRunningFor = async (seconds: number): Promise<number[]> => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('web'));
    const crash = async (): Promise<number> => {
      const started = made.startsMs('web').length;
      const running = made.instances('web').find(({ state }) => state === ContainerState.CONTAINER_RUNNING)!;
      made.fake.exitContainer(running.id, 1);
      const crashedMs = made.clock.now();
      await made.clock.runUntil(() => made.startsMs('web').length > started);
      return Math.round((made.clock.now() - crashedMs) / 1000);
    };
    await made.clock.runUntil(() => made.startsMs('web').length === 1);
    const waits: number[] = [];
    for (let time = 0; time < 4; time++) waits.push(await crash());
    expect(waits.slice(1)).toEqual([10, 20, 40]);
    await made.clock.advance(seconds * 1000);
    return [await crash(), await crash()];
  };

  it('has a new back-off after ten minutes without a crash', async () => {
    expect(await afterRunningFor(601)).toEqual([0, 10]);
  });

  it('continues its back-off after less', async () => {
    expect(await afterRunningFor(599)).toEqual([80, 160]);
  });
});
