import type { JournalEntry } from '@rxlet/agent-api/journal';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { MAX_LIFE_BYTES } from '../model/life.ts';
import { MAX_OPEN_SPANS, restoreLife } from '../model/recorded-life.ts';
import { lifeProblems } from '../testing.ts';
import { createJournalStore, type JournalStoreLimits } from './journal-store.ts';

function setup(limits?: JournalStoreLimits) {
  const clock = createVirtualClock();
  const store = createJournalStore({ clock }, limits);
  let count = 0;
  const begin = (uid: string, parentId?: string, more: Partial<Extract<JournalEntry, { type: 'begin' }>> = {}) => {
    count += 1;
    const id = `s${String(count)}`;
    const names = parentId === undefined ? { namespace: 'default', name: uid } : { parentId };
    store.apply({ type: 'begin', id, uid, atMs: clock.now(), kind: 'image.pull', ...names, ...more });
    return id;
  };
  const end = (uid: string, id: string): void =>
    store.apply({ type: 'end', id, uid, atMs: clock.now(), outcome: { result: 'ok' } });
  return { clock, store, begin, end };
}

describe('createJournalStore', () => {
  it('keeps the last lives of pods that are gone, up to a number and an age', async () => {
    const { clock, store, begin, end } = setup({ maxEndedLives: 2, endedLifeMs: 60_000 });
    begin('here');
    for (const uid of ['a', 'b', 'c']) end(uid, begin(uid));
    expect(store.lives().map(({ uid }) => uid)).toEqual(['here', 'b', 'c']);
    await clock.advance(61_000);
    expect(store.lives().map(({ uid }) => uid)).toEqual(['here']);
  });

  it('begins another life when a pod comes back under its UID after its end', () => {
    const { store, begin, end } = setup();
    end('web', begin('web'));
    begin('web');
    expect(store.lives().map(({ uid, endMs }) => [uid, endMs !== undefined])).toEqual([
      ['web', true],
      ['web', false],
    ]);
    expect(store.find('default', 'web')?.endMs).toBeUndefined();
  });

  it('drops the oldest ended spans of a life that exceeds its bound, and keeps open ones', () => {
    const { store, begin, end } = setup();
    const root = begin('web');
    const open = begin('web', root, { kind: 'container.backoff' });
    const message = 'x'.repeat(1_000);
    for (let index = 0; index < 100; index += 1) end('web', begin('web', root, { attributes: { message, index } }));
    const life = store.life('web')!;
    expect(JSON.stringify(life.spans).length).toBeLessThan(MAX_LIFE_BYTES * 1.1);
    expect(life.spans.map(({ id }) => id)).toEqual(expect.arrayContaining([root, open]));
    expect(life.spans.at(-1)?.attributes?.['index']).toBe(99);
    expect(life.droppedSpans).toBe(100 - (life.spans.length - 2));
    expect(lifeProblems([life])).toEqual([]);
  });

  it('drops the waits of a pod that waits for thousands of things at the same time', () => {
    const { store, begin, end } = setup();
    const root = begin('web');
    const subjects = Array.from({ length: MAX_OPEN_SPANS + 500 }, (_none, index) => `gate-${String(index)}`);
    const ids = subjects.map((subject) => begin('web', root, { kind: 'pod.readiness-gate', subject }));
    expect(store.life('web')?.spans).toHaveLength(1 + MAX_OPEN_SPANS);
    expect(store.life('web')?.droppedSpans).toBe(500);
    for (const id of ids) end('web', id);
    const later = begin('web', root);
    const life = store.life('web')!;
    expect(life.spans.filter(({ endMs }) => endMs === undefined).map(({ id }) => id)).toEqual([root, later]);
    expect(lifeProblems([life])).toEqual([]);
  });

  it('cuts long texts', () => {
    const { store, begin } = setup();
    begin('web', begin('web'), { attributes: { output: 'x'.repeat(100_000) } });
    expect(JSON.stringify(store.life('web')).length).toBeLessThan(3_000);
  });

  it('keeps one fact of an identity', () => {
    const { clock, store, begin } = setup();
    const parentId = begin('web');
    for (const id of ['f1', 'f2']) {
      store.apply({ type: 'fact', id, uid: 'web', parentId, atMs: clock.now(), kind: 'container.exited', once: 'c1' });
    }
    expect(store.life('web')?.spans).toHaveLength(2);
  });

  it('ends a span no earlier than it began and than the spans within it, when the clock is set back', async () => {
    const { clock, store, begin, end } = setup();
    const root = begin('web');
    await clock.advance(10_000);
    const outer = begin('web', root);
    await clock.advance(10_000);
    end('web', begin('web', outer));
    clock.setWallClock(clock.now() - 15_000);
    end('web', outer);
    expect(lifeProblems(store.lives())).toEqual([]);
  });

  it('emits entries that a reader applies to the same effect', () => {
    const { store, begin, end } = setup();
    const root = begin('web');
    const reader = restoreLife(store.life('web')!);
    const subscription = store.changes$.subscribe((entry) => reader.apply(entry));
    end('web', begin('web', root));
    end('web', root);
    subscription.unsubscribe();
    expect(reader.snapshot()).toEqual(store.life('web'));
  });
});
