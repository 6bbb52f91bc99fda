import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { PodSubject } from './pod-subject.ts';
import {
  afterCompletion,
  afterWaiting,
  initialState,
  type PodWorkerState,
  requestTermination,
} from './pod-worker-state.ts';
import type { TerminationReason } from './termination-reason.ts';

const ended = { reason: 'killed', deleted: false, evicted: false, gracePeriodSeconds: 20 } as const;
const STATES: Readonly<Record<PodWorkerState['kind'], PodWorkerState>> = {
  waiting: { kind: 'waiting', sinceMs: 1 },
  syncing: { kind: 'syncing', sinceMs: 1 },
  terminating: { kind: 'terminating', sinceMs: 1, ...ended },
  terminated: { kind: 'terminated', sinceMs: 1, ...ended },
  finished: { kind: 'finished', sinceMs: 1, ...ended },
};
const KINDS = Object.keys(STATES) as PodWorkerState['kind'][];
const REASONS: readonly TerminationReason[] = ['deleted', 'orphaned', 'completed', 'evicted', 'killed'];

describe('requestTermination', () => {
  const expected: Readonly<Record<PodWorkerState['kind'], PodWorkerState['kind']>> = {
    waiting: 'finished',
    syncing: 'terminating',
    terminating: 'terminating',
    terminated: 'terminated',
    finished: 'finished',
  };
  it.each(KINDS.flatMap((kind) => REASONS.map((reason) => [kind, reason] as const)))(
    'terminates a %s pod that is %s',
    (kind, reason) => {
      const next = requestTermination(STATES[kind], testPod(), { reason }, 5);
      const fresh = kind === 'waiting' || kind === 'syncing';
      expect(next).toEqual({
        kind: kind === 'waiting' && reason === 'orphaned' ? 'terminating' : expected[kind],
        // Only a new state has a new time and reason.
        sinceMs: fresh ? 5 : 1,
        reason: fresh ? reason : 'killed',
        deleted: reason === 'deleted' || reason === 'orphaned',
        evicted: reason === 'evicted',
        gracePeriodSeconds: fresh ? 30 : 20,
      });
    },
  );

  it.each(KINDS.filter((kind) => kind !== 'waiting' && kind !== 'syncing'))(
    'returns the same object for a %s pod when nothing changes',
    (kind) => {
      const again = { reason: 'killed', gracePeriodSeconds: 20 } as const;
      expect(requestTermination(STATES[kind], testPod(), again, 5)).toBe(STATES[kind]);
      const deleted = requestTermination(STATES[kind], testPod(), { reason: 'deleted' }, 5);
      expect(deleted).not.toBe(STATES[kind]);
      expect(requestTermination(deleted, testPod(), { reason: 'orphaned' }, 6)).toBe(deleted);
    },
  );

  it.each<[PodWorkerState['kind'], number | undefined, number]>([
    ['terminating', 5, 5],
    ['terminating', 0, 1],
    ['terminating', 60, 20],
    ['terminating', undefined, 20],
    ['terminated', 5, 20],
    ['finished', 5, 20],
  ])('changes the grace period of a %s pod on a request for %s to %i seconds', (kind, requested, seconds) => {
    const request = { reason: 'killed', ...(requested !== undefined && { gracePeriodSeconds: requested }) } as const;
    expect(requestTermination(STATES[kind], testPod(), request, 5)).toEqual({
      ...STATES[kind],
      gracePeriodSeconds: seconds,
    });
  });

  it('keeps a pod deleted', () => {
    const deleted = requestTermination(STATES.syncing, testPod(), { reason: 'deleted' }, 5);
    expect(requestTermination(deleted, testPod(), { reason: 'killed' }, 6)).toMatchObject({
      deleted: true,
      reason: 'deleted',
      sinceMs: 5,
    });
  });
});

describe('afterCompletion', () => {
  it.each<[PodWorkerState['kind'], PodWorkerState['kind'], number]>([
    ['waiting', 'waiting', 1],
    ['syncing', 'terminating', 5],
    ['terminating', 'terminated', 5],
    ['terminated', 'finished', 5],
    ['finished', 'finished', 1],
  ])('moves a %s pod to %s', (from, to, sinceMs) => {
    expect(afterCompletion(STATES[from], testPod(), 5)).toMatchObject({ kind: to, sinceMs });
  });

  it('completes a pod whose containers have ended, without deleting it', () => {
    expect(afterCompletion(STATES.syncing, testPod(), 5)).toMatchObject({
      reason: 'completed',
      deleted: false,
      evicted: false,
    });
  });
});

it('syncs a pod after it has waited', () => {
  expect(afterWaiting({ kind: 'waiting', sinceMs: 1 }, 5)).toEqual({ kind: 'syncing', sinceMs: 5 });
});

describe('initialState', () => {
  const deleting = testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 } });
  const held = { uid: 'a', name: 'web', namespace: 'default', sandboxes: [], containers: [] };
  it.each<[string, PodSubject, boolean, object]>([
    ['a pod', { kind: 'pod', pod: testPod() }, true, { kind: 'syncing' }],
    ['a pod that may not start', { kind: 'pod', pod: testPod() }, false, { kind: 'waiting' }],
    [
      'a pod that is being deleted',
      { kind: 'pod', pod: deleting },
      true,
      { kind: 'terminating', reason: 'deleted', deleted: true, gracePeriodSeconds: 3 },
    ],
    ['one that may not start', { kind: 'pod', pod: deleting }, false, { kind: 'finished', reason: 'deleted' }],
    [
      'a pod that has failed',
      { kind: 'pod', pod: testPod({ status: { phase: 'Failed' } }) },
      true,
      { kind: 'terminating', reason: 'completed', deleted: false },
    ],
    [
      'a pod that is in the runtime only',
      { kind: 'runtime', pod: held },
      true,
      { kind: 'terminating', reason: 'orphaned', deleted: true, gracePeriodSeconds: 1 },
    ],
  ])('starts from %s', (_title, subject, mayStart, state) => {
    expect(initialState(subject, mayStart, 7)).toMatchObject({ ...state, sinceMs: 7 });
  });
});
