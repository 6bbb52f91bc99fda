import { LifetimeEnded, seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodWorkers } from './create-pod-workers.ts';
import { killPodNow, PodKillTimeoutError } from './kill-pod-now.ts';

/** Workers of a pod whose containers take `stopMs` to stop. */
function setup(stopMs: number, graceSeconds?: number) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const pod = testPod({ uid: 'a', spec: { terminationGracePeriodSeconds: graceSeconds } });
  const graces: number[] = [];
  const workers = createPodWorkers({
    clock,
    random: seededRandom(1),
    statuses: { mark: () => 1, getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: () => Promise.resolve({ completed: false }),
      async syncTerminatingPod({ gracePeriodSeconds, signal }) {
        graces.push(gracePeriodSeconds);
        await new Promise<void>((resolve, reject) => {
          clock.setTimer(stopMs, resolve);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  workers.add(pod);
  return { clock, events, workers, pod, graces };
}

describe('killPodNow', () => {
  it('resolves when no container runs', async () => {
    const { clock, events, workers, pod, graces } = setup(3_000);
    let ended = false;
    const killed = killPodNow({ workers, clock, events }, pod, { reason: 'evicted', gracePeriodSeconds: 5 });
    void killed.then(() => (ended = true));
    await clock.advance(2_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(ended).toBe(true);
    expect(graces).toEqual([5]);
    expect(workers.state('a')).toMatchObject({ reason: 'evicted', evicted: true });
    expect(events.list()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, number | undefined, number | undefined, number]>([
    ['one and a half of the requested grace period', 30, 20, 30],
    ['one and a half of the spec’s', 31, undefined, 46],
    ['no less than ten seconds', 30, 0, 10],
    ['ten seconds for a pod without any', undefined, undefined, 10],
  ])('waits for %s, then rejects while the pod continues to terminate', async (_title, ofSpec, calls, seconds) => {
    const { clock, events, workers, pod } = setup(100_000, ofSpec);
    const request = { reason: 'killed', ...(calls !== undefined && { gracePeriodSeconds: calls }) } as const;
    let error: unknown;
    void killPodNow({ workers, clock, events }, pod, request).catch((thrown: unknown) => (error = thrown));
    await clock.advance(seconds * 1000 - 1);
    expect(error).toBeUndefined();
    await clock.advance(1);
    expect(error).toBeInstanceOf(PodKillTimeoutError);
    expect(error).toMatchObject({
      message: 'timeout waiting to kill pod',
      reason: 'ExceededGracePeriod',
      timeoutMs: seconds * 1000,
    });
    expect(events.list()).toMatchObject([
      {
        type: 'Warning',
        reason: 'ExceededGracePeriod',
        message: 'Container runtime did not kill the pod within specified grace period.',
        object: { uid: 'a' },
      },
    ]);
    expect(workers.state('a')?.kind).toBe('terminating');
    await clock.advance(100_000);
    expect(workers.state('a')?.kind).toBe('finished');
  });

  it('resolves at once for an unknown pod', async () => {
    const { clock, events, workers } = setup(1);
    await killPodNow({ workers, clock, events }, testPod({ uid: 'unknown' }), { reason: 'killed' });
  });

  it('stops waiting when the workers are disposed of, or its signal aborts', async () => {
    const { clock, events, workers, pod } = setup(60_000);
    const caller = new AbortController();
    const one = killPodNow({ workers, clock, events }, pod, { reason: 'killed' }, caller.signal);
    const other = killPodNow({ workers, clock, events }, pod, { reason: 'killed' });
    caller.abort(new Error('no longer needed'));
    await expect(one).rejects.toThrow('no longer needed');
    void workers[Symbol.asyncDispose]();
    await expect(other).rejects.toBeInstanceOf(LifetimeEnded);
    expect(events.list()).toEqual([]);
  });
});
