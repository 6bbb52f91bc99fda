import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createEventLog } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { createManualSource } from './manual-source.ts';
import { createPodConfig } from './pod-config.ts';
import type { SourceProblem } from './source-problem.ts';

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

  it('is ready when each source told its pods, though there be none', async () => {
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

  it('tells of the pods before it says that their source is ready', async () => {
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

  it('takes what a source told before it started', async () => {
    const { file, config, take } = setUp();
    await using _ = config;
    file.set([testPod()]);
    expect(take()).toEqual([]);
    config.start();
    config.start();
    expect(take()).toEqual(['ADD file web']);
  });

  it('notes where a pod comes from and when it was first seen', async () => {
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
        object: { uid: '2' },
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

  it('keeps the pods of a source that fails, and says so', async () => {
    const clock = createVirtualClock();
    const snapshots$ = new Subject<readonly Pod[]>();
    const problems$ = new Subject<SourceProblem>();
    const source = {
      name: 'own',
      snapshots$,
      problems$,
      start: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
    await using config = createPodConfig({ clock, sources: [source] });
    const problems: string[] = [];
    config.problems$.subscribe(({ message }) => problems.push(message));
    config.start();
    snapshots$.next([testPod()]);
    problems$.next({ source: 'own', path: '/x', reason: 'NotAFile', message: 'a problem' });
    snapshots$.error(new Error('it broke'));
    expect(config.pods()).toHaveLength(1);
    expect(problems).toEqual(['a problem', 'pod source own has failed, its pods stay as they are: it broke']);
  });

  it('disposes of its sources, and completes', async () => {
    const { file, config, take } = setUp();
    let completed = 0;
    const complete = (): void => void (completed += 1);
    config.updates$.subscribe({ complete });
    config.problems$.subscribe({ complete });
    config.readySources$.subscribe({ complete });
    file.snapshots$.subscribe({ complete });
    config.start();
    await config[Symbol.asyncDispose]();
    file.set([testPod()]);
    expect(take()).toEqual([]);
    expect(completed).toBe(4);
  });

  it('refuses two sources of one name', () => {
    const clock = createVirtualClock();
    const sources = [createManualSource('file'), createManualSource('file')];
    expect(() => createPodConfig({ clock, sources })).toThrow('same name');
  });
});

describe('createManualSource', () => {
  it('refuses a pod without identity, and keeps the earlier set', () => {
    const source = createManualSource('own');
    let names: unknown;
    source.snapshots$.subscribe((pods) => (names = pods.map(({ metadata }) => metadata!.name)));
    source.set([testPod()]);
    expect(() => source.set([{ metadata: { name: 'a', namespace: 'b' } }])).toThrow('pod "a" has no metadata.uid');
    expect(() => source.set([{}])).toThrow('pod "" has no metadata.name');
    expect(names).toEqual(['web']);
  });
});
