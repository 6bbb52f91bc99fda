import type { ObjectChange, ObjectWatch } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { ConfigMap } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createLastKnownWatch, type LastKnownWatchOptions } from './last-known-watch.ts';

const { configMaps } = resources;
const map = (name: string, resourceVersion = '1'): ConfigMap => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion },
});

function setUp(keptAs: LastKnownWatchOptions['keptAs'], known: readonly ConfigMap[] | undefined) {
  const clock = createVirtualClock();
  const kube = createMemoryKube();
  const inner = kube.main.watch(configMaps);
  let answer = (): void => undefined;
  // The API server answers later.
  const watch: ObjectWatch<ConfigMap> = Object.defineProperties({} as ObjectWatch<ConfigMap>, {
    ...Object.getOwnPropertyDescriptors(inner),
    start: { value: () => void (answer = () => inner.start()) },
  });
  const recorded: (readonly ConfigMap[])[] = [];
  const state = { isReleased: false };
  const lastKnown = createLastKnownWatch<ConfigMap>(
    {
      watch,
      clock,
      logger: noopLogger,
      fallBack: () => known,
      record: (objects) => void recorded.push(objects),
      release: () => void (state.isReleased = true),
    },
    { keptAs, firstAnswerTimeoutMs: () => 10_000 },
  );
  const emitted: string[] = [];
  const describeChange = (change: ObjectChange<ConfigMap>): string =>
    change.type === 'snapshot'
      ? `snapshot ${change.objects.map(({ metadata }) => metadata?.name).join()}`
      : `${change.type} ${change.object.metadata?.name ?? ''}`;
  lastKnown.changes$.subscribe({
    next: (change) => void emitted.push(describeChange(change)),
    error: (error: unknown) => void emitted.push(String(error)),
  });
  return { clock, kube, lastKnown, emitted, recorded, state, answer: () => answer() };
}

describe('createLastKnownWatch', () => {
  it('passes the API server on that answers in time', async () => {
    const { clock, kube, lastKnown, emitted, recorded, answer } = setUp('complete', [map('old')]);
    kube.put(configMaps, map('a'));
    lastKnown.start();
    await clock.advance(9_000);
    answer();
    await clock.advance(60_000);
    expect(emitted).toEqual(['snapshot a']);
    expect(recorded.map((objects) => objects.length)).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('shows complete objects as a snapshot, and then what the API server changes in it', async () => {
    const { clock, kube, lastKnown, emitted, answer } = setUp('complete', [map('gone'), map('same')]);
    lastKnown.start();
    await clock.advance(10_000);
    expect(emitted).toEqual(['snapshot gone,same']);
    expect([lastKnown.isSynced, lastKnown.find({ name: 'same', namespace: 'default' })]).toEqual([true, map('same')]);
    kube.put(configMaps, map('same'));
    kube.put(configMaps, map('new'));
    answer();
    expect(emitted.slice(1)).toEqual(['deleted gone', 'added new']);
    expect(lastKnown.list().map(({ metadata }) => metadata?.name)).toEqual(['same', 'new']);
  });

  it('adds provisional objects, to later subscribers too, until a snapshot replaces them', async () => {
    const { clock, kube, lastKnown, emitted, answer } = setUp('provisional', [map('gone')]);
    lastKnown.start();
    await clock.advance(10_000);
    expect(emitted).toEqual(['added gone']);
    expect(lastKnown.isSynced).toBe(false);
    const late: string[] = [];
    lastKnown.changes$.subscribe({ next: ({ type }) => void late.push(type), error: () => undefined });
    expect(late).toEqual(['added']);
    kube.put(configMaps, map('new'));
    answer();
    expect(emitted).toEqual(['added gone', 'snapshot new']);
    expect(lastKnown.isSynced).toBe(true);
  });

  it('waits without last known objects, and leaves nothing', async () => {
    const { clock, lastKnown, emitted, state } = setUp('complete', undefined);
    lastKnown.start();
    await clock.advance(60_000);
    expect([emitted, lastKnown.isSynced, state.isReleased]).toEqual([[], false, false]);
    await lastKnown[Symbol.asyncDispose]();
    expect(state.isReleased).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
