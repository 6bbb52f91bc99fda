import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterCompletion,
  afterWaiting,
  couldHaveRunningContainers,
  effectiveGracePeriodSeconds,
  isTerminationRequested,
  type PodWorkerState,
  requestTermination,
  shouldContentBeRemoved,
  shouldRuntimeBeRemoved,
  type TerminationReason,
} from './pod-worker-state.ts';

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
  it.each(KINDS.flatMap((kind) => REASONS.map((reason) => [kind, reason] as const)))('%s, %s', (kind, reason) => {
    const next = requestTermination(STATES[kind], testPod(), { reason }, 5);
    const fresh = kind === 'waiting' || kind === 'syncing';
    expect(next).toEqual({
      kind: expected[kind],
      // Only a new state has a new time and reason.
      sinceMs: fresh ? 5 : 1,
      reason: fresh ? reason : 'killed',
      deleted: reason === 'deleted' || reason === 'orphaned',
      evicted: reason === 'evicted',
      gracePeriodSeconds: fresh ? 30 : 20,
    });
  });

  it('never takes back that a pod is deleted', () => {
    const deleted = requestTermination(STATES.syncing, testPod(), { reason: 'deleted' }, 5);
    expect(requestTermination(deleted, testPod(), { reason: 'killed' }, 6)).toMatchObject({
      deleted: true,
      reason: 'deleted',
      sinceMs: 5,
    });
  });
});

describe('effectiveGracePeriodSeconds', () => {
  const deletedIn = (seconds: number) =>
    testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: seconds } });
  it.each([
    ['the spec', testPod(), undefined, undefined, 30],
    ['the deletion', deletedIn(10), undefined, undefined, 10],
    ['an override', testPod(), undefined, 5, 5],
    ['a shorter override than the deletion', deletedIn(10), undefined, 5, 5],
    ['the deletion, shorter than the override', deletedIn(3), undefined, 5, 3],
    ['what applies already, when nothing is shorter', deletedIn(60), 20, 25, 20],
    ['one second instead of none', deletedIn(0), undefined, undefined, 1],
    ['one second for a pod nobody knows', undefined, undefined, undefined, 1],
  ])('is that of %s', (_title, pod, current, override, seconds) => {
    expect(effectiveGracePeriodSeconds(pod, current, override)).toBe(seconds);
  });

  it('only ever shrinks', () => {
    const seconds = fc.option(fc.nat(100), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), seconds, seconds, (current, deletion, override) => {
        const pod = deletion === undefined ? testPod() : deletedIn(deletion);
        const next = effectiveGracePeriodSeconds(pod, current, override);
        expect(next).toBeLessThanOrEqual(current);
        expect(next).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('afterCompletion', () => {
  it.each<[PodWorkerState['kind'], PodWorkerState['kind'], number]>([
    ['waiting', 'waiting', 1],
    ['syncing', 'terminating', 5],
    ['terminating', 'terminated', 5],
    ['terminated', 'finished', 5],
    ['finished', 'finished', 1],
  ])('%s → %s', (from, to, sinceMs) => {
    expect(afterCompletion(STATES[from], testPod(), 5)).toMatchObject({ kind: to, sinceMs });
  });

  it('says of a pod whose containers have ended that it completed, which deletes nothing', () => {
    expect(afterCompletion(STATES.syncing, testPod(), 5)).toMatchObject({
      reason: 'completed',
      deleted: false,
      evicted: false,
    });
  });
});

it('afterWaiting begins to sync', () => {
  expect(afterWaiting({ kind: 'waiting', sinceMs: 1 }, 5)).toEqual({ kind: 'syncing', sinceMs: 5 });
});

describe('what others ask of a state', () => {
  it.each<[PodWorkerState['kind'], boolean, boolean, boolean]>([
    ['waiting', false, true, false],
    ['syncing', false, true, false],
    ['terminating', true, true, false],
    ['terminated', true, false, true],
    ['finished', true, false, true],
  ])('%s', (kind, terminationRequested, running, runtimeRemovable) => {
    const state = STATES[kind];
    expect(isTerminationRequested(state)).toBe(terminationRequested);
    expect(couldHaveRunningContainers(state)).toBe(running);
    expect(shouldRuntimeBeRemoved(state)).toBe(runtimeRemovable);
    expect(shouldContentBeRemoved(state)).toBe(false);
  });

  it.each<[PodWorkerState['kind'], TerminationReason, boolean]>([
    ['terminating', 'deleted', false],
    ['terminated', 'deleted', true],
    ['finished', 'orphaned', true],
    ['terminating', 'evicted', true],
    ['terminated', 'completed', false],
  ])('%s, %s: content removable %s', (kind, reason, removable) => {
    expect(shouldContentBeRemoved(requestTermination(STATES[kind], testPod(), { reason }, 5))).toBe(removable);
  });
});
