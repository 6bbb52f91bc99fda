import type { Fault } from '@rxlet/fake-kube';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const MINUTE_MS = 60_000;
/** A list that is a page of an endless one. */
const endless = (items: readonly object[]) => (): string =>
  JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'next' }, items });
const gone = (): string =>
  `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' } })}\n`;
const flood = (text: string): string => text.repeat(200);

async function start(hasStreamingLists: boolean): Promise<TestCluster> {
  const cluster = createTestCluster({ kube: { hasStreamingLists } });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.start();
  for (const name of ['web', 'db']) cluster.bind(name);
  await cluster.until(() => cluster.running().length === 2, MINUTE_MS);
  await cluster.advance(20_000);
  return cluster;
}

describe('an API server with hostile lists of pods', () => {
  it.each<readonly [string, boolean, Fault]>([
    ['endless pages without pods', false, rewriting('list', endless([]))],
    ['endless pages of pods', false, rewriting('list', endless(malformedPods(20_000)))],
    ['a list that is none', false, rewriting('list', () => '{"items": 5}')],
    ['410 in each watch', true, rewriting('watch', gone)],
    ['410 in each watch after a list', false, rewriting('watch', gone)],
    ['a flood of repeated events', true, rewriting('watch', flood)],
  ])('neither ends pods nor is asked in a loop: %s', async (_, hasStreamingLists, fault) => {
    const cluster = await start(hasStreamingLists);
    const { kube } = cluster;
    const running = cluster.running();
    const scripted = kube.faults.add(fault);
    kube.compact();
    kube.cutWatches({ resource: 'pods' });
    const { length } = kube.requests();
    await cluster.advance(2 * MINUTE_MS);
    const about = kube
      .requests()
      .slice(length)
      .filter(({ path }) => path === '/api/v1/pods');
    // A list of 150,000 pods has eight of these pages; each attempt has its pause.
    expect(about.length).toBeGreaterThan(1);
    expect(about.length).toBeLessThan(120);
    expect(cluster.running()).toEqual(running);
    scripted[Symbol.dispose]();
    cluster.bind('later');
    await cluster.untilPhase('later', 'Running', 2 * MINUTE_MS);
    expect(cluster.running()).toEqual([...running, 'later/app'].sort());
    expect([cluster.instances('web').length, cluster.instances('db').length]).toEqual([1, 1]);
  });
});

function rewriting(verb: 'list' | 'watch', rewrite: (text: string) => string): Fault {
  return { match: { resource: 'pods', verb }, action: { type: 'rewrite', rewrite } };
}

function malformedPods(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    metadata: { name: `x-${String(index)}`, namespace: 'default', uid: `x-${String(index)}`, resourceVersion: '7' },
    spec: { containers: [], nodeName: 'node1' },
  }));
}
