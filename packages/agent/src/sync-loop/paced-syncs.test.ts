import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createPacedSyncs } from './paced-syncs.ts';

function setup() {
  const clock = createVirtualClock();
  const synced: { uid: string; atMs: number }[] = [];
  const syncs = createPacedSyncs(clock, (uid) => synced.push({ uid, atMs: clock.monotonicNow() }));
  return { clock, synced, syncs };
}

describe('createPacedSyncs', () => {
  it('lets thirty through at once, then one each second, and loses none', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 200; index += 1) syncs.request('a');
    expect(synced).toHaveLength(30);
    // All that came meanwhile is one.
    await clock.advance(10_000);
    expect(synced.slice(30)).toEqual([{ uid: 'a', atMs: 1_000 }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('paces what never ends', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 6_000; index += 1) {
      syncs.request('a');
      await clock.advance(10);
    }
    expect(synced.length).toBeLessThanOrEqual(91);
    expect(synced.length).toBeGreaterThanOrEqual(89);
  });

  it('does not let one pod hold up another', () => {
    const { synced, syncs } = setup();
    for (let index = 0; index < 200; index += 1) syncs.request('a');
    syncs.request('b');
    expect(synced.at(-1)?.uid).toBe('b');
  });

  it('lets a pod begin anew that was quiet', async () => {
    const { clock, synced, syncs } = setup();
    for (let index = 0; index < 30; index += 1) syncs.request('a');
    await clock.advance(30_000);
    syncs.forgetQuiet();
    for (let index = 0; index < 30; index += 1) syncs.request('a');
    expect(synced).toHaveLength(60);
  });

  it('leaves nothing behind', () => {
    const { clock, syncs } = setup();
    for (let index = 0; index < 40; index += 1) syncs.request('a');
    expect(clock.pendingTimers).toBe(1);
    syncs[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
