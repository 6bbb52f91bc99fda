import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import {
  couldHaveRunningContainers,
  isKnownTerminated,
  isTerminationRequested,
  shouldBeFinished,
  shouldContainersBeTerminating,
  shouldContentBeRemoved,
  shouldRuntimeBeRemoved,
} from './pod-worker-questions.ts';
import { type PodWorkerState, requestTermination } from './pod-worker-state.ts';
import type { TerminationReason } from './termination-reason.ts';

const ended = { sinceMs: 1, reason: 'killed', deleted: false, evicted: false, gracePeriodSeconds: 20 } as const;
const STATES: Readonly<Record<PodWorkerState['kind'], PodWorkerState>> = {
  waiting: { kind: 'waiting', sinceMs: 1 },
  syncing: { kind: 'syncing', sinceMs: 1 },
  terminating: { kind: 'terminating', ...ended },
  terminated: { kind: 'terminated', ...ended },
  finished: { kind: 'finished', ...ended },
};

describe('a question about a pod’s state', () => {
  const questions = [
    isTerminationRequested,
    isKnownTerminated,
    couldHaveRunningContainers,
    shouldContainersBeTerminating,
    shouldRuntimeBeRemoved,
    shouldContentBeRemoved,
    shouldBeFinished,
  ] as const;
  const answers = (state: PodWorkerState | undefined, podsSynced?: boolean): string =>
    questions.map((question) => String(Number(question(state, podsSynced)))).join('');

  // The columns are the questions above.
  it.each<[PodWorkerState['kind'], string]>([
    ['waiting', '0010000'],
    ['syncing', '0010000'],
    ['terminating', '1011000'],
    ['terminated', '1101100'],
    ['finished', '1101101'],
  ])('has the same answer for a %s pod before and after all pods are known', (kind, expected) => {
    expect(answers(STATES[kind], false)).toBe(expected);
    expect(answers(STATES[kind], true)).toBe(expected);
  });

  it('depends on whether all pods are known for an unknown pod', () => {
    expect(answers(undefined, false)).toBe('0010000');
    expect(answers(undefined, true)).toBe('0001111');
    expect(answers(undefined)).toBe(answers(undefined, false));
  });

  it.each<[PodWorkerState['kind'], TerminationReason, boolean]>([
    ['terminating', 'deleted', false],
    ['terminated', 'deleted', true],
    ['finished', 'orphaned', true],
    ['terminating', 'evicted', true],
    ['terminated', 'completed', false],
  ])('decides whether the content of a %s pod that is %s must be removed: %s', (kind, reason, removable) => {
    expect(shouldContentBeRemoved(requestTermination(STATES[kind], testPod(), { reason }, 5))).toBe(removable);
  });
});
