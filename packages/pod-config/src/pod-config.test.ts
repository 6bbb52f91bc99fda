import type { CheckedPod, PodSource, PodSourceProblem } from '@rxlet/agent-api/sources';
import { describe, expect, it } from 'vitest';
import { createEventLog } from '@rxlet/component-base/events';
import { type Labels, noopMetrics } from '@rxlet/component-base/metrics';
import { createTestStream, createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { createManualSource } from './manual-source.ts';
import { createPodConfig } from './pod-config.ts';

function setUp() {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 120) });
  const events = createEventLog(clock);
  const file = createManualSource('file');
  const api = createManualSource('api');
  const config = createPodConfig({ clock, events, sources: [file, api] });
  const updates: string[] = [];
  config.updates$.subscribe(({ op, source, pods }) => {
    updates.push([op, source, ...pods.map(({ metadata }) => metadata!.name!)].join(' '));
  });
  const take = (): string[] => updates.splice(0);
  return { clock, events, file, api, config, take };
}

describe('createPodConfig', () => {
  it('turns snapshots into operations, removals first', async () => {
    const { file, config, take } = setUp();
    await using _ = config;
    config.start();
    file.set([testPod({ name: 'a' }), testPod({ name: 'b' }), testPod({ name: 'c' }), testPod({ name: 'd' })]);
    expect(take()).toEqual(['ADD file a b c d']);
    file.set([
      testPod({ name: 'e' }),
      testPod({ name: 'b', labels: { changed: 'yes' } }),
      testPod({ name: 'c', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      testPod({ name: 'd', status: { phase: 'Running' } }),
    ]);
    expect(take()).toEqual(['REMOVE file a', 'ADD file e', 'UPDATE file b', 'DELETE file c', 'RECONCILE file d']);
    file.set([]);
    expect(take()).toEqual(['REMOVE file e b c d']);
  });

  it('is ready when each source has emitted a snapshot, also an empty one', async () => {
    const { file, api, config, take } = setUp();
    await using _ = config;
    const ready: string[][] = [];
    config.readySources$.subscribe((names) => ready.push([...names]));
    config.start();
    expect(config.sourcesReady()).toBe(false);
    file.set([]);
    expect(take()).toEqual(['ADD file']);
    expect(config.sourcesReady()).toBe(false);
    api.set([testPod()]);
    expect(take()).toEqual(['ADD api web']);
    expect(config.sourcesReady()).toBe(true);
    file.set([]);
    expect(take()).toEqual([]);
    expect(ready).toEqual([[], ['file'], ['file', 'api']]);
  });

  it('emits the pods of a source before it is ready', async () => {
    const { file, api, config } = setUp();
    await using _ = config;
    const log: string[] = [];
    config.readySources$.subscribe(() => config.sourcesReady() && log.push('ready'));
    config.updates$.subscribe(({ op, source }) => log.push(`${op} ${source}`));
    config.start();
    file.set([testPod({ name: 'a' })]);
    api.set([testPod({ name: 'b' })]);
    expect(log).toEqual(['ADD file', 'ADD api', 'ready']);
  });

  it('takes the snapshot that a source emitted before the start', async () => {
    const { file, config, take } = setUp();
    await using _ = config;
    file.set([testPod()]);
    expect(take()).toEqual([]);
    config.start();
    config.start();
    expect(take()).toEqual(['ADD file web']);
  });

  it('annotates pods with their source and the time they were first seen', async () => {
    const { clock, file, config } = setUp();
    await using _ = config;
    config.start();
    file.set([testPod({ annotations: { mine: 'x' } })]);
    await clock.advance(5000);
    file.set([testPod({ annotations: { mine: 'y' } })]);
    expect(config.pods()[0]?.metadata?.annotations).toEqual({
      mine: 'y',
      'kubernetes.io/config.source': 'file',
      'kubernetes.io/config.seen': '2026-01-01T00:00:00.12Z',
    });
  });

  it('keeps the sources apart', async () => {
    const { file, api, config, take } = setUp();
    await using _ = config;
    config.start();
    file.set([testPod({ name: 'a' })]);
    api.set([testPod({ name: 'b' })]);
    take();
    api.set([]);
    expect(take()).toEqual(['REMOVE api b']);
    expect(config.pods().map(({ metadata }) => metadata!.name)).toEqual(['a']);
  });

  it('drops a second pod of one name, with an event', async () => {
    const { events, file, config, take } = setUp();
    await using _ = config;
    config.start();
    file.set([testPod({ uid: '1' }), testPod({ uid: '2' })]);
    expect(take()).toEqual(['ADD file web']);
    expect(events.list()).toMatchObject([
      {
        object: { name: 'web', uid: '2' },
        type: 'Warning',
        reason: 'FailedValidation',
        message: 'Error validating pod web_default(2) from file due to duplicate pod name "web_default", ignoring',
      },
    ]);
    file.set([testPod({ uid: '2' })]);
    expect(take()).toEqual(['REMOVE file web', 'ADD file web']);
  });

  it('drops a second pod of one UID, with an event', async () => {
    const { events, file, config, take } = setUp();
    await using _ = config;
    config.start();
    file.set([testPod({ uid: '1' }), testPod({ uid: '1', name: 'copy' })]);
    expect(take()).toEqual(['ADD file web']);
    expect(events.list()).toMatchObject([
      {
        object: { name: 'copy' },
        reason: 'FailedValidation',
        message: 'Error validating pod copy_default(1) from file due to duplicate pod UID "1", ignoring',
      },
    ]);
  });

  /** A source under the control of a test. */
  function ownSource(rest: Partial<PodSource> = {}) {
    const snapshots = createTestStream<readonly Pod[]>();
    const upserts = createTestStream<readonly Pod[]>();
    const problems = createTestStream<readonly PodSourceProblem[]>();
    const source: PodSource = {
      name: 'own',
      snapshots$: snapshots.values$,
      upserts$: upserts.values$,
      problems$: problems.values$,
      start: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
      ...rest,
    };
    const clock = createVirtualClock();
    const events = createEventLog(clock);
    const logger = recordingLogger();
    const counts = new Map<string, number>();
    const metrics = {
      ...noopMetrics,
      gauge: () => ({
        set: (value: number, labels: Labels = {}) => void counts.set(Object.values(labels).join(), value),
      }),
    };
    const config = createPodConfig({ clock, sources: [source], events, logger, metrics });
    const updates: string[] = [];
    config.updates$.subscribe(({ op, pods }) =>
      updates.push([op, ...pods.map(({ metadata }) => metadata!.name!)].join(' ')),
    );
    config.start();
    const take = (): string[] => updates.splice(0);
    return { snapshots, upserts, problems, config, events, logger, counts, take };
  }

  it('keeps the pods of a source that fails, and reports it beside the problems of the source', async () => {
    const { config, snapshots, problems } = ownSource();
    await using _ = config;
    snapshots.emit([testPod()]);
    problems.emit([{ source: 'another', path: '/x', reason: 'NotAFile', message: 'a problem' }]);
    snapshots.fail(new Error('it broke'));
    expect(config.pods()).toHaveLength(1);
    expect(config.problems.value).toEqual([
      { source: 'own', path: '/x', reason: 'NotAFile', message: 'a problem' },
      {
        source: 'own',
        path: '',
        reason: 'SourceUnavailable',
        message: 'pod source own failed, its pods are kept: it broke',
      },
    ]);
  });

  it('logs, counts and records as an event each problem once, until it is gone', async () => {
    const { config, problems, logger, events, counts } = ownSource();
    await using _ = config;
    const kept = { name: 'web', namespace: 'default', uid: 'u1' };
    const broken = { source: 'own', path: '/a', reason: 'InvalidManifest', message: '/a: broken', pod: kept } as const;
    const skipped = { source: 'own', path: '/b', reason: 'NotAFile', message: '/b is skipped' } as const;
    problems.emit([broken]);
    problems.emit([broken, skipped]);
    expect(counts).toEqual(
      new Map([
        ['own,InvalidManifest', 1],
        ['own,NotAFile', 1],
      ]),
    );
    problems.emit([skipped]);
    expect(counts.get('own,InvalidManifest')).toBe(0);
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn /a: broken',
      'warn /b is skipped',
      'info /a has no more problems',
    ]);
    expect(events.list()).toMatchObject([
      { object: { name: 'web', uid: 'u1' }, type: 'Warning', reason: 'FailedValidation', message: '/a: broken' },
    ]);
  });

  it.each([
    ['uid', undefined, 'metadata.uid: is required'],
    ['uid', '../escape', 'metadata.uid: must begin with a letter or digit'],
    ['name', 'a/b', 'metadata.name: "a/b" must consist of'],
    ['namespace', '..', 'metadata.namespace: ".." must not contain dots'],
    ['namespace', undefined, 'metadata.namespace: is required'],
  ])('rejects a pod whose %s is %j, and takes the others', async (field, value, message) => {
    const { config, snapshots, take } = ownSource();
    await using _ = config;
    const bad = testPod({ name: 'bad' });
    snapshots.emit([{ ...bad, metadata: { ...bad.metadata, [field]: value } }, testPod({ name: 'good' })]);
    expect(take()).toEqual(['ADD good']);
    expect(config.sourcesReady()).toBe(true);
    expect(config.problems.value).toMatchObject([{ source: 'own', reason: 'InvalidPod' }]);
    expect(config.problems.value[0]!.message).toContain('of source "own" is rejected');
    expect(config.problems.value[0]!.message).toContain(message);
    snapshots.emit([testPod({ name: 'good' })]);
    expect(config.problems.value).toEqual([]);
  });

  it('completes the pods of a source by its own check, and keeps the last good version of a pod', async () => {
    const check = (pod: Pod): CheckedPod =>
      pod.spec!.containers[0]!.image!.startsWith(' ')
        ? { problems: [{ field: 'image', message: 'must not begin with a space' }] }
        : { pod: { ...pod, spec: { ...pod.spec!, restartPolicy: 'Always' } } };
    const { config, snapshots, take } = ownSource({ check });
    await using _ = config;
    const [good, bad] = ['ok', ' spaces'].map((image) => testPod({ spec: { containers: [{ name: 'c', image }] } }));
    snapshots.emit([bad!]);
    expect(take()).toEqual(['ADD']);
    snapshots.emit([good!]);
    expect(config.pods()[0]!.spec!.restartPolicy).toBe('Always');
    snapshots.emit([bad!]);
    expect(take()).toEqual(['ADD web']);
    expect(config.pods()[0]!.spec!.containers[0]!.image).toBe('ok');
    expect(config.problems.value).toMatchObject([{ reason: 'InvalidPod', isPodKept: true, pod: { name: 'web' } }]);
  });

  it('checks the identity of a pod before the check of its source', async () => {
    const { config, snapshots, take } = ownSource({ check: (pod) => ({ pod }) });
    await using _ = config;
    snapshots.emit([testPod({ uid: '../etc' })]);
    expect(take()).toEqual(['ADD']);
    expect(config.problems.value).toMatchObject([{ reason: 'InvalidPod' }]);
  });

  it('adds pods before the first snapshot, which removes what it does not contain and makes the source ready', async () => {
    const { config, snapshots, upserts, take } = ownSource();
    await using _ = config;
    const [a, b] = [testPod({ name: 'a' }), testPod({ name: 'b' })];
    upserts.emit([a]);
    upserts.emit([b, testPod({ uid: '' })]);
    expect(take()).toEqual(['ADD a', 'ADD b']);
    expect(config.sourcesReady()).toBe(false);
    snapshots.emit([b]);
    expect(take()).toEqual(['REMOVE a', 'ADD']);
    expect(config.sourcesReady()).toBe(true);
    upserts.emit([testPod({ name: 'b', labels: { changed: 'yes' } })]);
    expect(take()).toEqual(['UPDATE b']);
  });

  it('leaves a pod that takes the place of another to the snapshot', async () => {
    const { config, snapshots, upserts, take } = ownSource();
    await using _ = config;
    snapshots.emit([testPod({ uid: '1' })]);
    take();
    upserts.emit([testPod({ uid: '2' }), testPod({ uid: '1', name: 'renamed' })]);
    expect(take()).toEqual([]);
    snapshots.emit([testPod({ uid: '2' })]);
    expect(take()).toEqual(['REMOVE web', 'ADD web']);
  });

  it('names both manifests of two pods with one name', async () => {
    const paths = new Map<string | undefined, string>([
      ['1', '/m/a.yaml'],
      ['2', '/m/b.yaml'],
    ]);
    const { config, snapshots } = ownSource({ manifestOf: ({ metadata }) => paths.get(metadata?.uid) });
    await using _ = config;
    snapshots.emit([testPod({ uid: '1' }), testPod({ uid: '2' })]);
    expect(config.problems.value).toMatchObject([
      {
        path: '/m/b.yaml',
        reason: 'DuplicatePod',
        message:
          'Error validating pod web_default(2) from own due to duplicate pod name "web_default", ignoring (/m/b.yaml repeats /m/a.yaml; change or remove one of them)',
      },
    ]);
  });

  it('disposes of its sources and completes', async () => {
    const { file, config, take } = setUp();
    let completed = 0;
    const complete = (): void => void (completed += 1);
    config.updates$.subscribe({ complete });
    config.problems.value$.subscribe({ complete });
    config.readySources$.subscribe({ complete });
    file.snapshots$.subscribe({ complete });
    config.start();
    await config[Symbol.asyncDispose]();
    file.set([testPod()]);
    expect(take()).toEqual([]);
    expect(completed).toBe(4);
  });

  it('rejects two sources with the same name at the start', async () => {
    const clock = createVirtualClock();
    const sources = [createManualSource('file'), createManualSource('file')];
    await using config = createPodConfig({ clock, sources });
    expect(() => config.start()).toThrow('same name');
  });

  it('runs and disposes of sources that were added before the start, and is not ready before it', async () => {
    const sources: PodSource[] = [];
    const config = createPodConfig({ clock: createVirtualClock(), sources });
    expect(config.sourcesReady()).toBe(false);
    const source = createManualSource('late');
    sources.push(source);
    config.start();
    expect(config.sourcesReady()).toBe(false);
    source.set([testPod()]);
    expect(config.sourcesReady()).toBe(true);
    expect(config.pods()).toHaveLength(1);
    let isDisposed = false;
    source.snapshots$.subscribe({ complete: () => (isDisposed = true) });
    await config[Symbol.asyncDispose]();
    expect(isDisposed).toBe(true);
  });
});

describe('createManualSource', () => {
  it('rejects a pod without identity, and keeps the earlier set', () => {
    const source = createManualSource('own');
    let names: unknown;
    source.snapshots$.subscribe((pods) => (names = pods.map(({ metadata }) => metadata!.name)));
    source.set([testPod()]);
    expect(() => source.set([{ metadata: { name: 'a', namespace: 'b' } }])).toThrow(
      'cannot set pod "a" of source own: metadata.uid: is required',
    );
    expect(() => source.set([{}])).toThrow('cannot set pod "" of source own: metadata.name: is required');
    expect(names).toEqual(['web']);
  });
});
