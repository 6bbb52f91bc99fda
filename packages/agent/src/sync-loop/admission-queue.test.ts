import type { AdmissionDecision, AdmissionHandler } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createSyncLoopBench, runtimePod, withMetadata } from '../test-support/sync-loop-bench.ts';

/** Creates a handler that decides on some pods when the test says so, and admits all others at once. */
function createSlowHandler(...names: readonly string[]) {
  const calls: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const decisions = new Map<string, (decision: AdmissionDecision) => void>();
  const handler: AdmissionHandler = {
    name: 'slow',
    admit(pod, others, signal) {
      const name = pod.metadata?.name ?? '';
      calls.push([name, ...others.list().map(({ metadata }) => metadata?.name)].join(' '));
      if (!names.includes(name)) return undefined;
      signals.set(name, signal);
      const { promise, resolve } = Promise.withResolvers<AdmissionDecision>();
      decisions.set(name, resolve);
      return promise;
    },
  };
  const decide = (name: string, decision?: AdmissionDecision): void => decisions.get(name)?.(decision);
  return { handler, calls, signals, decide };
}

const full = { reason: 'OutOfpods', message: 'full' };
const changed = (name: string): Pod => manifestPod(name, { terminationGracePeriodSeconds: 3 });

describe('the admission queue', () => {
  it('decides on pods in order of arrival, each beside those admitted before', async () => {
    const { handler, calls, decide } = createSlowHandler('first');
    const { emit, steps, clock } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('first'));
    await emit('ADD', manifestPod('second'));
    await clock.advance(5_000);
    expect({ calls, steps }).toEqual({ calls: ['first'], steps: [] });
    decide('first');
    await clock.settle();
    expect(calls).toEqual(['first', 'second first']);
    expect(steps).toEqual(['sync first', 'sync second']);
  });

  it('does not block the sync loop', async () => {
    const { handler, decide } = createSlowHandler('slow');
    const { emit, steps, clock, triggers } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('running'));
    await emit('ADD', manifestPod('slow'));
    triggers.emit('uid-running-1');
    await clock.advance(2_000);
    expect(steps).toEqual(['sync running', 'sync running']);
    decide('slow');
    await clock.settle();
    expect(steps.at(-1)).toBe('sync slow');
  });

  it('admits the latest version of a pod', async () => {
    const { handler, decide } = createSlowHandler('web');
    const { emit, clock, steps, synced } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'));
    await emit('UPDATE', changed('web'));
    decide('web');
    await clock.settle();
    expect(steps).toEqual(['sync web']);
    expect(synced.get('uid-web-1')?.spec?.terminationGracePeriodSeconds).toBe(3);
  });

  it('cancels the judgement of a pod that is removed', async () => {
    const { handler, calls, signals, decide } = createSlowHandler('web');
    const { emit, clock, steps, view } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'));
    await emit('ADD', manifestPod('next'));
    await emit('REMOVE', manifestPod('web'));
    expect(signals.get('web')?.aborted).toBe(true);
    decide('web');
    await clock.settle();
    expect(calls).toEqual(['web', 'next']);
    expect(steps).toEqual(['sync next']);
    expect(view.list().map(({ metadata }) => metadata?.name)).toEqual(['next']);
  });

  it('decides again on a pod that is removed and added under the same UID', async () => {
    const { handler, calls, decide } = createSlowHandler('web');
    const { emit, clock, steps } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'));
    await emit('REMOVE', manifestPod('web'));
    await emit('ADD', manifestPod('web'));
    expect(calls).toEqual(['web', 'web']);
    decide('web');
    await clock.settle();
    expect(steps).toEqual(['sync web']);
  });

  it('finishes a waiting pod that is deleted', async () => {
    const { handler, calls } = createSlowHandler('web');
    const { emit, workers, clock } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'));
    await emit('DELETE', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(calls).toEqual(['web']);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('rejects a pod whose handler does not decide in time, and judges the next one', async () => {
    const { handler, signals } = createSlowHandler('web');
    const { emit, clock, steps, statuses } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'), manifestPod('next'));
    await clock.advance(29_999);
    expect(statuses.get('uid-web-1')).toBeUndefined();
    await clock.advance(1);
    expect(statuses.get('uid-web-1')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: 'Pod was rejected: Admission failed due to no answer within 30000 ms, which is unexpected.',
    });
    expect(signals.get('web')?.aborted).toBe(true);
    expect(steps).toEqual(['sync next']);
  });

  describe('while the decision on a pod takes long', () => {
    /** Handlers of which one says that pods named `gpu…` may take long, and another one admits one pod less than `room`. */
    const createBench = (room: number, ...slow: readonly string[]) => {
      const made = createSlowHandler(...slow);
      const handler = { ...made.handler, mayTakeLong: (pod: Pod) => pod.metadata?.name?.startsWith('gpu') === true };
      const fit: AdmissionHandler = {
        name: 'fit',
        admit: (_pod, others) => (others.count < room ? undefined : full),
      };
      return { ...made, ...createSyncLoopBench({ admission: [fit, handler] }) };
    };

    it('admits pods that fit beside it, also those that come later, after a second', async () => {
      const { calls, decide, emit, clock, steps } = createBench(10, 'gpu-1');
      await emit('ADD', manifestPod('gpu-1'), manifestPod('web'), manifestPod('gpu-2'));
      await clock.advance(999);
      expect(steps).toEqual([]);
      await clock.advance(1);
      expect(steps).toEqual(['sync web']);
      await emit('ADD', manifestPod('late'));
      await clock.settle();
      expect(steps).toEqual(['sync web', 'sync late']);
      decide('gpu-1');
      await clock.settle();
      expect(steps).toEqual(['sync web', 'sync late', 'sync gpu-1', 'sync gpu-2']);
      expect(calls).toEqual(['gpu-1', 'web gpu-1', 'late web gpu-1', 'gpu-2 web late gpu-1']);
    });

    it('leaves pods their turn that do not fit beside it, and judges them again', async () => {
      const { decide, emit, clock, steps, statuses } = createBench(2, 'gpu-1');
      await emit('ADD', manifestPod('one'), manifestPod('gpu-1'), manifestPod('two'), manifestPod('three'));
      await clock.advance(10_000);
      expect(steps).toEqual(['sync one']);
      expect(statuses.get('uid-two-1')).toBeUndefined();
      decide('gpu-1', full);
      await clock.settle();
      expect(steps).toEqual(['sync one', 'sync two']);
      expect(statuses.get('uid-three-1')).toMatchObject({ reason: 'OutOfpods' });
    });

    it('goes on when a handler throws in place of reporting whether it may take long', async () => {
      const broken: AdmissionHandler = {
        name: 'broken',
        admit: () => undefined,
        mayTakeLong() {
          throw new Error('broken');
        },
      };
      const { emit, clock, steps } = createSyncLoopBench({ admission: [broken] });
      await emit('ADD', manifestPod('one'));
      await emit('ADD', manifestPod('two'));
      await clock.settle();
      expect(steps).toEqual(['sync one', 'sync two']);
    });

    it('goes on when the pod is removed, and ends with the loop', async () => {
      const { emit, clock, steps, loop, signals } = createBench(10, 'gpu-1', 'gpu-2');
      await emit('ADD', manifestPod('gpu-1'), manifestPod('gpu-2'));
      await clock.advance(2_000);
      await emit('REMOVE', manifestPod('gpu-1'));
      await emit('ADD', manifestPod('web'));
      await clock.advance(1_000);
      expect(steps).toEqual(['sync web']);
      await loop[Symbol.asyncDispose]();
      expect(signals.get('gpu-2')?.aborted).toBe(true);
    });
  });

  it.each([
    ['leaves out a pod that had ended before the agent started', [], 'web'],
    ['counts a pod that had ended but still runs', [runtimePod('uid-job-1')], 'web job'],
  ])('%s', async (_title, held, judged) => {
    const { handler, calls } = createSlowHandler();
    const { emit, world } = createSyncLoopBench({ admission: [handler] });
    world.held = held;
    await emit('ADD', { ...manifestPod('job'), status: { phase: 'Succeeded' } }, manifestPod('web'));
    expect(calls).toEqual([judged]);
  });

  it('keeps the running containers of a pod that waits after a restart of the agent', async () => {
    const { handler, decide } = createSlowHandler('web');
    const { emit, clock, steps, world, becomeReady, admissions } = createSyncLoopBench({ admission: [handler] });
    world.ready = false;
    world.held = [runtimePod('uid-web-1'), runtimePod('orphan')];
    await emit('ADD', manifestPod('web'));
    await becomeReady();
    await clock.advance(10_000);
    expect(new Set(steps)).toEqual(new Set(['stop orphan']));
    expect(admissions.awaitsAdmission('uid-web-1')).toBe(true);
    expect(admissions.waiting.size).toBe(1);
    decide('web');
    await clock.settle();
    expect(steps.at(-1)).toBe('sync web');
    expect(admissions.awaitsAdmission('uid-web-1')).toBe(false);
  });

  it('ends with the loop', async () => {
    const { handler, signals } = createSlowHandler('web');
    const { emit, clock, steps, loop, statuses } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('web'), manifestPod('next'));
    await loop[Symbol.asyncDispose]();
    expect(signals.get('web')?.aborted).toBe(true);
    expect({ steps, timers: clock.pendingTimers, statuses: statuses.size }).toEqual({
      steps: [],
      timers: 0,
      statuses: 0,
    });
  });
});

describe('a preparation of the node', () => {
  const admitAfter = (prepare: (signal: AbortSignal) => Promise<void>): AdmissionHandler => ({
    name: 'prepare',
    admit: ({ metadata }) => (metadata?.name === 'web' ? { timeoutMs: 60_000, prepare } : undefined),
  });

  it('ends before the pod is admitted, and before the next one is judged', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { handler: recorder, calls } = createSlowHandler();
    const { emit, clock, steps } = createSyncLoopBench({ admission: [admitAfter(() => promise), recorder] });
    await emit('ADD', manifestPod('web'), manifestPod('next'));
    await clock.advance(45_000);
    expect({ calls, steps }).toEqual({ calls: ['web'], steps: [] });
    resolve();
    await clock.settle();
    expect({ calls, steps }).toEqual({ calls: ['web', 'next web'], steps: ['sync web', 'sync next'] });
  });

  it('does not begin when a later handler rejects the pod', async () => {
    let prepared = false;
    const prepare = async (): Promise<void> => void (prepared = true);
    const rejecting: AdmissionHandler = { name: 'later', admit: () => full };
    const { emit, statuses } = createSyncLoopBench({ admission: [admitAfter(prepare), rejecting] });
    await emit('ADD', manifestPod('web'));
    expect(prepared).toBe(false);
    expect(statuses.get('uid-web-1')).toMatchObject({ reason: 'OutOfpods' });
  });

  it.each<[string, (signal: AbortSignal) => Promise<void>, number, string]>([
    ['fails', () => Promise.reject(new Error('no way')), 0, 'no way'],
    ['takes too long', () => new Promise(() => undefined), 60_000, 'no answer within 60000 ms'],
  ])('rejects the pod when it %s', async (_title, prepare, afterMs, cause) => {
    const { emit, clock, steps, statuses } = createSyncLoopBench({ admission: [admitAfter(prepare)] });
    await emit('ADD', manifestPod('web'), manifestPod('next'));
    await clock.advance(afterMs);
    expect(statuses.get('uid-web-1')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: `Pod was rejected: Admission failed due to ${cause}, which is unexpected.`,
    });
    expect(steps).toEqual(['sync next']);
  });
});
