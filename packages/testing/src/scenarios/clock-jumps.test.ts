import { describe, expect, it } from 'vitest';
import { createTestCluster, createTestNode, manifestPod } from '../index.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;
const crashing = { containers: [{ name: 'app', image: 'busybox:1.36', command: ['sh', '-c', 'sleep 1; exit 1'] }] };

/** Jumps of the wall clock, in milliseconds. */
const jumps: readonly (readonly [string, (nowMs: number) => number])[] = [
  ['a year ahead', (nowMs) => nowMs + YEAR_MS],
  ['a year back', (nowMs) => nowMs - YEAR_MS],
  ['to the epoch', () => 1_000],
  ['a hundred years ahead', (nowMs) => nowMs + 100 * YEAR_MS],
];

describe('a wall clock that jumps while an agent runs', () => {
  it.each(jumps)('%s stops no container and changes no back-off', async (_, jump) => {
    await using node = createTestNode();
    node.desire(manifestPod('web'), manifestPod('crash', crashing));
    await node.start();
    await node.until(() => node.startsMs('crash').length === 3);
    node.clock.setWallClock(jump(node.clock.now()));
    await node.advance(MINUTE_MS);
    expect(node.startsMs('crash')).toHaveLength(4);
    await node.kill();
    node.clock.setWallClock(jump(node.clock.now()));
    await node.start();
    await node.advance(5 * MINUTE_MS);
    expect(node.instances('web')).toHaveLength(1);
    expect(node.running()).toContain('web/app');
    node.desire();
    await node.until(() => node.running().length === 0, MINUTE_MS);
    await node.until(() => node.agent().pods.list().length === 0, MINUTE_MS);
  });

  it.each(jumps)('%s: a node keeps its lease, and starts, reports and deletes pods', async (_, jump) => {
    await using cluster = createTestCluster();
    await cluster.start();
    cluster.bind('web');
    cluster.bind('db');
    await cluster.untilPhase('db', 'Running', MINUTE_MS);
    const renewals = (): number => cluster.kube.requests().filter(({ path }) => path.includes('/leases/')).length;
    cluster.node.clock.setWallClock(jump(cluster.node.clock.now()));
    const before = renewals();
    await cluster.advance(2 * MINUTE_MS);
    expect(renewals() - before).toBeGreaterThanOrEqual(10);
    cluster.bind('later');
    await cluster.untilPhase('later', 'Running', MINUTE_MS);
    cluster.kube.objects.delete({ group: '', plural: 'pods' }, 'db', 'default');
    await cluster.until(() => cluster.pod('db') === undefined, MINUTE_MS);
    expect(cluster.running()).toEqual(['later/app', 'web/app']);
    expect(cluster.instances('web')).toHaveLength(1);
  });
});
