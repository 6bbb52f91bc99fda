import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createHintChecks, type HintChecks, type ListedState } from './hint-checks.ts';

interface Bench {
  readonly clock: VirtualClock;
  readonly checks: HintChecks;
  /** Container id → its pod and state in the latest listing. */
  readonly listed: Map<string, { readonly podUid: string; readonly state: ListedState }>;
  /** `time pod` of each requested relist, in milliseconds since the bench began. */
  readonly relists: string[];
}

/** A node with the pod `p`, whose containers `a` and `b` run. */
function bench(): Bench {
  const clock = createVirtualClock();
  const beganMs = clock.monotonicNow();
  const relists: string[] = [];
  const listed: Bench['listed'] = new Map([
    ['a', { podUid: 'p', state: 'running' }],
    ['b', { podUid: 'p', state: 'running' }],
  ]);
  const checks = createHintChecks({
    clock,
    lookUp: (containerId) => listed.get(containerId) ?? { state: 'unlisted' },
    requestRelist: (podUid) => relists.push(`${String(clock.monotonicNow() - beganMs)} ${podUid ?? 'all'}`),
  });
  return { clock, checks, listed, relists };
}

const stopped = { podUid: 'p', state: 'stopped' } as const;

describe('a hint', () => {
  it('has a pod relisted at once and ever less often while its stopped container is listed as running', async () => {
    const { clock, checks, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    expect(relists).toEqual(['0 p']);
    await clock.advance(60_000);
    expect(relists).toEqual(['0 p', '5 p', '20 p', '70 p', '220 p', '720 p']);
  });

  it('is confirmed by the listing that shows its container stopped', async () => {
    const { clock, checks, listed, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    await clock.advance(10);
    listed.set('a', stopped);
    await clock.advance(60_000);
    expect(relists).toEqual(['0 p', '5 p']);
  });

  it.each<[string, 'started' | 'stopped', ListedState]>([
    ['of a start of a container that is listed', 'started', 'running'],
    ['of a start of a container that has already stopped', 'started', 'stopped'],
    ['of a stop that is listed', 'stopped', 'stopped'],
  ])('needs no relist: %s', async (_title, kind, state) => {
    const { clock, checks, listed, relists } = bench();
    listed.set('a', { podUid: 'p', state });
    checks.add({ containerId: 'a', kind });
    await clock.advance(60_000);
    expect(relists).toEqual([]);
  });

  it.each([
    ['its pod', 'p', '500 p'],
    ['all pods if its pod is unknown', undefined, '500 all'],
  ])('about an unlisted container relists %s after half a second, once', async (_title, podUid, relist) => {
    for (const kind of ['started', 'stopped'] as const) {
      const { clock, checks, relists } = bench();
      checks.add({ containerId: 'new', kind, podUid });
      await clock.advance(60_000);
      expect(relists).toEqual([relist]);
    }
  });

  it('prefers the pod in the listing to the one that the hint names', () => {
    const { checks, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped', podUid: 'other' });
    expect(relists).toEqual(['0 p']);
  });

  it('waits for the runtime as long again after the checks of an earlier one have ended', async () => {
    const { clock, checks, listed, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    listed.set('a', stopped);
    await clock.advance(10_000);
    checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
    await clock.advance(60_000);
    expect(relists).toEqual(['0 p', '10500 p']);
  });
});

describe('several hints about one pod', () => {
  it('share relists, with five milliseconds for the next ones', async () => {
    const { clock, checks, relists } = bench();
    checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
    await clock.advance(100);
    checks.add({ containerId: 'a', kind: 'stopped' });
    checks.add({ containerId: 'b', kind: 'stopped' });
    expect(relists).toEqual([]);
    await clock.advance(100);
    expect(relists).toEqual(['105 p', '110 p', '125 p', '175 p']);
  });

  it('never postpone a relist that is due', async () => {
    const { clock, checks, relists } = bench();
    checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
    for (let hints = 0; hints < 4; hints += 1) {
      await clock.advance(100);
      checks.add({ containerId: `new ${String(hints)}`, kind: 'started', podUid: 'p' });
    }
    await clock.advance(100);
    expect(relists).toEqual(['500 p']);
  });

  it('follow the most urgent one', async () => {
    const { clock, checks, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
    await clock.advance(100);
    expect(relists).toEqual(['0 p', '5 p', '20 p', '70 p']);
  });

  it('become no more urgent by a container that runs or has stopped as listed', async () => {
    for (const kind of ['started', 'stopped'] as const) {
      const { clock, checks, listed, relists } = bench();
      checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
      if (kind === 'stopped') listed.set('a', stopped);
      checks.add({ containerId: 'a', kind });
      await clock.advance(60_000);
      expect(relists).toEqual(['500 p']);
    }
  });

  it('get their own relists at the end of the checks of an earlier one', async () => {
    const { clock, checks, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    await clock.advance(1_000);
    checks.add({ containerId: 'new', kind: 'started', podUid: 'p' });
    await clock.advance(60_000);
    expect(relists.slice(5)).toEqual(['720 p', '1500 p']);
  });

  it('end with the last unconfirmed one: an unlisted container is relisted once', async () => {
    const { clock, checks, listed, relists } = bench();
    checks.add({ containerId: 'a', kind: 'stopped' });
    checks.add({ containerId: 'gone', kind: 'stopped', podUid: 'p' });
    await clock.advance(6);
    listed.set('a', stopped);
    await clock.advance(60_000);
    expect(relists).toEqual(['0 p', '5 p']);
  });
});

it('requests no relist and keeps no timer after its disposal', async () => {
  const { clock, checks, relists } = bench();
  checks.add({ containerId: 'a', kind: 'stopped' });
  checks[Symbol.dispose]();
  await clock.advance(60_000);
  expect(relists).toEqual(['0 p']);
  expect(clock.pendingTimers).toBe(0);
});
