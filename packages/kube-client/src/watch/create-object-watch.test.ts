import type { ObjectChange } from '@rxlet/kube-api/client';
import type { FakeKube } from '@rxlet/fake-kube';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createTestCluster, podNamed } from '../test-support/cluster.ts';

const { pods } = resources;

/** Records changes in short: `added a`, `snapshot a,b`. */
function describeChange(change: ObjectChange<Pod>): string {
  const names =
    change.type === 'snapshot'
      ? change.objects.map(({ metadata }) => metadata?.name).join()
      : change.object.metadata?.name;
  return `${change.type} ${names ?? ''}`;
}

describe('a watch', () => {
  it('emits a snapshot, then each change', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a', 'node1'));
    kube.objects.create(pods, podNamed('other', 'node2'));
    await using watch = client.watch(pods, { fieldSelector: 'spec.nodeName=node1' });
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    await clock.settle();
    expect([watch.isSynced, kube.requests()]).toEqual([false, []]);
    watch.start();
    await clock.settle();
    kube.objects.create(pods, podNamed('b', 'node1'));
    kube.objects.merge(pods, 'a', 'default', { metadata: { labels: { x: 'y' } } });
    kube.objects.delete(pods, 'a', 'default', 0);
    await clock.settle();
    expect(seen).toEqual(['snapshot a', 'added b', 'modified a', 'deleted a']);
    expect(watch.list().map(({ metadata }) => metadata?.name)).toEqual(['b']);
    expect(watch.find({ namespace: 'default', name: 'b' })?.spec?.nodeName).toBe('node1');
    expect(kube.requests().map(({ query }) => query.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=N'))).toEqual([
      'allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dnode1&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true',
    ]);
  });

  it('resumes after a broken connection without a gap, and emits nothing twice', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    await using watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    watch.start();
    await clock.settle();
    kube.objects.create(pods, podNamed('a'));
    await clock.settle();
    expect(kube.cutWatches()).toBe(1);
    kube.objects.create(pods, podNamed('b'));
    await clock.advance(5000);
    expect(seen).toEqual(['snapshot ', 'added a', 'added b']);
    const [, second] = kube.requests();
    expect(second?.query).toMatch(/resourceVersion=\d+&timeoutSeconds/);
    expect(second?.query).not.toContain('sendInitialEvents');
  });

  it('ignores events that the server repeats after a broken connection', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a'));
    await using watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    watch.start();
    await clock.settle();
    kube.objects.merge(pods, 'a', 'default', { metadata: { labels: { x: 'y' } } });
    kube.objects.create(pods, podNamed('b'));
    kube.objects.delete(pods, 'b', 'default', 0);
    await clock.settle();
    kube.setReplay(100);
    kube.cutWatches();
    await clock.advance(10_000);
    kube.objects.create(pods, podNamed('c'));
    await clock.settle();
    expect(seen).toEqual(['snapshot a', 'modified a', 'added b', 'deleted b', 'added c']);
  });

  it('reads everything again when the version is gone, and emits the difference', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock, logger } = cluster;
    kube.objects.create(pods, podNamed('gone'));
    kube.objects.create(pods, podNamed('kept'));
    kube.objects.create(pods, podNamed('again'));
    await using watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    watch.start();
    await clock.settle();
    kube.stop();
    kube.objects.delete(pods, 'gone', 'default', 0);
    kube.objects.delete(pods, 'again', 'default', 0);
    kube.objects.create(pods, podNamed('again'));
    kube.objects.create(pods, podNamed('new'));
    await clock.advance(60_000);
    expect(watch.list()).toHaveLength(3);
    expect(watch.problem?.message).toContain('connection refused');
    kube.start();
    await clock.advance(120_000);
    expect(seen).toEqual(['snapshot again,gone,kept', 'deleted gone', 'deleted again', 'added again', 'added new']);
    expect(watch.problem).toBeUndefined();
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'cannot use the API server; requests are repeated',
    ]);
  });

  it('tries again soon after a server that was away has answered another request', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a'));
    await using watch = client.watch(pods);
    watch.start();
    await clock.settle();
    kube.stop();
    await clock.advance(600_000);
    const before = kube.requests().length;
    kube.start();
    kube.objects.create(pods, podNamed('b'));
    await clock.settle();
    expect(kube.requests()).toHaveLength(before);
    await client.get(pods, { name: 'a', namespace: 'default' });
    await clock.advance(5_000);
    expect(watch.list()).toHaveLength(2);
  });

  it('tries again soon when it meets the first, negative answer itself', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    await using watch = client.watch(pods);
    watch.start();
    await clock.settle();
    kube.stop();
    await clock.advance(600_000);
    kube.start();
    kube.faults.add({ times: 1, action: { type: 'error', reason: 'Forbidden' } });
    kube.objects.create(pods, podNamed('a'));
    const count = (): number => kube.requests().length;
    const before = count();
    while (count() === before) await clock.advance(1_000);
    await clock.advance(8_000);
    expect(watch.list()).toHaveLength(1);
  });

  it('lists and watches where the server does not send objects first', async () => {
    await using cluster = createTestCluster({ hasStreamingLists: false });
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a'));
    await using watch = client.watch(pods);
    watch.start();
    await clock.settle();
    expect(watch.list()).toHaveLength(1);
    expect(watch.problem).toBeUndefined();
    expect(kube.requests().map(({ query }) => query.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=N'))).toEqual([
      'allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true',
      'limit=500&resourceVersion=0',
      'allowWatchBookmarks=true&resourceVersion=6&timeoutSeconds=N&watch=true',
    ]);
    kube.compact();
    kube.cutWatches();
    await clock.advance(10_000);
    const afterwards = kube.requests().slice(3);
    expect(afterwards.filter(({ query }) => query.includes('sendInitialEvents'))).toEqual([]);
  });

  it('tries a list at once when it is forbidden, then waits ever longer', async () => {
    await using cluster = createTestCluster({ authorization: 'node' });
    const { kube, clock } = cluster;
    const watch = cluster.clientOf({ name: 'system:anonymous', groups: [] }).watch(pods);
    await using _ = watch;
    watch.start();
    await clock.advance(600_000);
    const times = kube.requests().map(({ atMs }) => atMs - Date.UTC(2026, 0, 1));
    const pauses = times.slice(1).map((time, index) => time - times[index]!);
    // Each pair is the watch and the list.
    expect(pauses.filter((_pause, index) => index % 2 === 0).every((pause) => pause === 0)).toBe(true);
    const waits = pauses.filter((_pause, index) => index % 2 === 1);
    const nominal = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    for (const [index, base] of nominal.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(base);
      expect(waits[index]).toBeLessThan(2 * base);
    }
    expect(watch.problem).toMatchObject({ reason: 'Forbidden' });
    expect(cluster.logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('ends a connection that stays silent although the server sends bookmarks, and one that outlives its timeout', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    await using watch = client.watch(pods);
    watch.start();
    await clock.advance(61_000);
    // The connection is dead, but nothing ended it.
    const dead = kube.freezeWatches();
    kube.objects.create(pods, podNamed('missed'));
    await clock.advance(170_000);
    expect([dead, watch.list()]).toEqual([1, []]);
    await clock.advance(20_000);
    expect(watch.list()).toHaveLength(1);
    await clock.advance(3_600_000);
    const lengths = kube
      .requests()
      .slice(1)
      .map(({ atMs }, index) => (atMs - kube.requests()[index]!.atMs) / 1000);
    expect(lengths.every((length) => length >= 190 && length <= 630)).toBe(true);
  });

  it('reads the objects again after a connection without any event, of a server that sends bookmarks', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    await using watch = client.watch(pods);
    watch.start();
    await clock.advance(61_000);
    kube.faults.add({ match: { verb: 'watch' }, times: 3, action: { type: 'silent' } });
    kube.cutWatches();
    kube.objects.create(pods, podNamed('missed'));
    await clock.advance(170_000);
    expect(watch.list()).toEqual([]);
    await clock.advance(20_000);
    expect(watch.list()).toHaveLength(1);
    // Until the server sends bookmarks again, a silent connection lasts as long as the server was asked to keep it.
    kube.objects.create(pods, podNamed('later'));
    await clock.advance(640_000);
    expect(watch.list()).toHaveLength(2);
  });

  it('takes a stream without an end for one of a server that does not know it', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a'));
    kube.faults.add({ match: { verb: 'watch' }, times: 1, action: { type: 'silent' } });
    await using watch = client.watch(pods);
    watch.start();
    await clock.advance(29_000);
    expect(watch.isSynced).toBe(false);
    await clock.advance(2000);
    expect(watch.list()).toHaveLength(1);
  });

  it('reads everything again after garbage', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    kube.objects.create(pods, podNamed('a'));
    await using watch = client.watch(pods);
    watch.start();
    await clock.settle();
    kube.faults.add({ match: { verb: 'watch' }, times: 2, action: { type: 'garbage' } });
    kube.cutWatches();
    kube.objects.create(pods, podNamed('b'));
    await clock.advance(20_000);
    expect(watch.list()).toHaveLength(2);
    expect(watch.problem).toBeUndefined();
  });

  it('leaves nothing behind', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    const watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe({ next: describeChange, complete: () => seen.push('complete') });
    watch.start();
    watch.start();
    await clock.settle();
    expect(kube.requests()).toHaveLength(1);
    await watch[Symbol.asyncDispose]();
    await clock.settle();
    expect([seen, kube.cutWatches(), clock.pendingTimers]).toEqual([['complete'], 0, 0]);
  });
});

describe('a malformed object', () => {
  /** Makes the watches of pods send one pod with other containers. */
  const malform = (kube: FakeKube, name: string, containers: () => unknown): Disposable =>
    kube.faults.add({
      match: { resource: 'pods' },
      action: {
        type: 'rewrite',
        rewrite(text) {
          const line = JSON.parse(text) as { object: { metadata: { name?: string }; spec: object } };
          if (line.object.metadata.name !== name) return text;
          return `${JSON.stringify({ ...line, object: { ...line.object, spec: { containers: containers() } } })}\n`;
        },
      },
    });

  it('keeps its last good version, is reported once, and affects no other', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock, logger } = cluster;
    let containers: unknown = [{ name: 'c' }];
    using _fault = malform(kube, 'bad', () => containers);
    kube.objects.create(pods, podNamed('bad'));
    await using watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    watch.start();
    await clock.settle();
    const change = async (value: string): Promise<void> => {
      kube.objects.merge(pods, 'bad', 'default', { metadata: { labels: { value } } });
      await clock.settle();
    };
    containers = 'x';
    await change('1');
    await change('2');
    // A new connection brings it again.
    kube.cutWatches();
    kube.compact();
    kube.objects.create(pods, podNamed('other'));
    await clock.advance(10_000);
    expect(watch.find({ namespace: 'default', name: 'bad' })?.metadata?.labels).toBeUndefined();
    containers = [{ name: 'd' }];
    await change('3');
    containers = [null];
    kube.objects.delete(pods, 'bad', 'default', 0);
    await clock.settle();
    expect(seen).toEqual(['snapshot bad', 'added other', 'modified bad', 'deleted bad']);
    const problems = logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
    expect(problems).toEqual([
      'spec.containers is a string, expected a list',
      'spec.containers[0] is null, expected a mapping',
    ]);
  });

  it('is left out until it can be used', async () => {
    await using cluster = createTestCluster();
    const { client, kube, clock } = cluster;
    let containers: unknown = 5;
    using _fault = malform(kube, 'bad', () => containers);
    kube.objects.create(pods, podNamed('bad'));
    kube.objects.create(pods, podNamed('good'));
    await using watch = client.watch(pods);
    const seen: string[] = [];
    watch.changes$.subscribe((change) => seen.push(describeChange(change)));
    watch.start();
    await clock.settle();
    containers = [{ name: 'c' }];
    kube.objects.merge(pods, 'bad', 'default', { metadata: { labels: { a: 'b' } } });
    await clock.settle();
    expect(seen).toEqual(['snapshot good', 'added bad']);
  });
});
