import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createPacedSyncs } from './paced-syncs.ts';

function setup() {
  const clock = createVirtualClock();
  const synced: { uid: string; atMs: number }[] = [];
  const unstable = new Set<string>();
  const syncs = createPacedSyncs(
    clock,
    (uid) => synced.push({ uid, atMs: clock.monotonicNow() }),
    (uid) => unstable.has(uid),
  );
  return { clock, synced, syncs, unstable };
}

describe('createPacedSyncs', () => {
  it('requests thirty syncs at once, then one a second, and loses none', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 200; index += 1) syncs.request('a');
    expect(synced).toHaveLength(30);
    // All requests in the meantime are one.
    await clock.advance(10_000);
    expect(synced.slice(30)).toEqual([{ uid: 'a', atMs: 1_000 }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('repeats a delayed sync that throws', async () => {
    const clock = createVirtualClock();
    const failures: string[] = [];
    let calls = 0;
    const sync = (): void => {
      calls += 1;
      if (calls === 31) throw new Error('broken');
    };
    const onFailure = (uid: string, error: unknown): void => void failures.push(`${uid}: ${String(error)}`);
    using syncs = createPacedSyncs(clock, sync, () => false, onFailure);
    for (let index = 0; index < 31; index += 1) syncs.request('a');
    await clock.advance(1_000);
    expect([calls, failures]).toEqual([31, ['a: Error: broken']]);
    await clock.advance(1_000);
    expect(calls).toBe(32);
  });

  it('paces requests that never end', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 6_000; index += 1) {
      syncs.request('a');
      await clock.advance(10);
    }
    expect(synced.length).toBeLessThanOrEqual(91);
    expect(synced.length).toBeGreaterThanOrEqual(89);
  });

  it('requests a sync of an unstable pod once a second, and at once when it was quiet', async () => {
    const { clock, synced, syncs, unstable } = setup();
    for (let index = 0; index < 10; index += 1) syncs.request('a');
    unstable.add('a');
    await clock.advance(5_000);
    synced.length = 0;
    for (let index = 0; index < 250; index += 1) {
      syncs.request('a');
      await clock.advance(10);
    }
    expect(synced.map(({ atMs }) => atMs)).toEqual([5_000, 6_000, 7_000]);
    unstable.clear();
    await clock.advance(1_000);
    synced.length = 0;
    for (let index = 0; index < 5; index += 1) syncs.request('a');
    expect(synced).toHaveLength(5);
  });

  it('paces each pod by itself', () => {
    const { synced, syncs } = setup();
    for (let index = 0; index < 200; index += 1) syncs.request('a');
    syncs.request('b');
    expect(synced.at(-1)?.uid).toBe('b');
  });

  it('restores the whole burst of a quiet pod', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 30; index += 1) syncs.request('a');
    await clock.advance(30_000);
    syncs.forgetQuiet();
    for (let index = 0; index < 30; index += 1) syncs.request('a');
    expect(synced).toHaveLength(60);
  });

  it('leaves no timer behind', () => {
    const { clock, syncs } = setup();
    for (let index = 0; index < 40; index += 1) syncs.request('a');
    expect(clock.pendingTimers).toBe(1);
    syncs[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
