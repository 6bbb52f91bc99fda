import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCondition, isOwnedCondition } from '../condition-types.ts';
import { arbitraryStatus } from '../test-support/arbitrary-pods.ts';
import { mergePodStatus } from './merge-pod-status.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const now = '2026-01-01T01:00:00Z';
const merge = (published: PodStatus, next: PodStatus, couldHaveRunningContainers = false): PodStatus =>
  mergePodStatus({ pod: testPod(), published, next, couldHaveRunningContainers, nowMs });
const condition = (type: string, status: string, more: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status,
  ...more,
});
const disrupted = condition('DisruptionTarget', 'True', {
  reason: 'TerminationByKubelet',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('mergePodStatus', () => {
  it('takes conditions and fields of other writers from the API, and the rest from the node', () => {
    const api: PodStatus = {
      phase: 'Pending',
      nominatedNodeName: 'other',
      conditions: [condition('gate', 'True'), condition('Ready', 'False'), condition('PodResizePending', 'True')],
    };
    const next: PodStatus = {
      phase: 'Running',
      resourceClaimStatuses: [{ name: 'stale' }],
      conditions: [condition('gate', 'False'), condition('PodScheduled', 'True'), condition('Ready', 'True')],
    };
    expect(merge(api, next)).toEqual({
      phase: 'Running',
      nominatedNodeName: 'other',
      conditions: [condition('gate', 'True'), condition('PodScheduled', 'True'), condition('Ready', 'True')],
    });
  });

  it('withholds the terminal phase and the reason of a disruption while containers may run', () => {
    const api: PodStatus = { phase: 'Running', reason: 'Why', conditions: [] };
    const next: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'low on memory', conditions: [disrupted] };
    expect(merge(api, next, true)).toEqual({ phase: 'Running', reason: 'Why', conditions: [] });
    expect(merge(api, next, false)).toEqual({
      ...next,
      conditions: [{ ...disrupted, lastTransitionTime: now }],
    });
  });

  it('withholds a terminal phase from a pod that has no phase yet', () => {
    const next: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'low on memory' };
    expect(merge({}, next, true)).toStrictEqual({ phase: 'Pending', conditions: [] });
    expect(merge({ message: 'starts' }, next, true)).toStrictEqual({
      phase: 'Pending',
      message: 'starts',
      conditions: [],
    });
  });

  it('keeps the time of a disruption that the API has', () => {
    const api: PodStatus = { phase: 'Running', conditions: [{ ...disrupted, reason: 'PreemptionByScheduler' }] };
    expect(merge(api, { phase: 'Failed', conditions: [disrupted] }).conditions).toEqual([disrupted]);
  });

  it('publishes a disruption only with the terminal phase, and keeps that of other writers', () => {
    const others = condition('DisruptionTarget', 'True', { reason: 'PreemptionByScheduler' });
    expect(merge({ phase: 'Running' }, { phase: 'Running', conditions: [disrupted] }).conditions).toEqual([]);
    expect(merge({ phase: 'Running', conditions: [others] }, { phase: 'Running', conditions: [disrupted] })).toEqual({
      phase: 'Running',
      conditions: [others],
    });
    expect(merge({ phase: 'Running', conditions: [others] }, { phase: 'Running' }).conditions).toEqual([others]);
    expect(merge({ phase: 'Failed', conditions: [others] }, { phase: 'Failed', conditions: [disrupted] })).toEqual({
      phase: 'Failed',
      conditions: [others],
    });
  });

  it.each([
    ['Failed', 'PodFailed'],
    ['Succeeded', 'PodCompleted'],
  ] as const)('does not show a pod that is %s as ready', (phase, reason) => {
    const ready = ['Ready', 'ContainersReady'].map((type) => condition(type, 'True'));
    expect(merge({ phase: 'Running', conditions: ready }, { phase, conditions: ready }).conditions).toEqual(
      ['Ready', 'ContainersReady'].map((type) => condition(type, 'False', { reason, lastTransitionTime: now })),
    );
  });

  it.each(['Ready', 'ContainersReady'])('ends readiness when only %s is true', (ready) => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const types = ['Ready', 'ContainersReady'];
    const conditions = types.map((type) =>
      condition(type, type === ready ? 'True' : 'False', { lastTransitionTime, reason: 'ReadinessGatesNotReady' }),
    );
    expect(merge({ phase: 'Running' }, { phase: 'Failed', conditions }).conditions).toEqual(
      types.map((type) =>
        condition(type, 'False', {
          reason: 'PodFailed',
          lastTransitionTime: type === ready ? now : lastTransitionTime,
        }),
      ),
    );
  });

  it('withholds every terminal phase, keeps everything of other writers, and is idempotent', () => {
    fc.assert(
      fc.property(arbitraryStatus, arbitraryStatus, fc.boolean(), (api, next, could) => {
        const merged = merge(api, next, could);
        if (could && !isTerminalPhase(api.phase)) expect(isTerminalPhase(merged.phase)).toBe(false);
        expect(merge(merged, next, could)).toEqual(merged);
        const types = (merged.conditions ?? []).map(({ type }) => type);
        expect(new Set(types).size).toBe(types.length);
        for (const other of (api.conditions ?? []).filter(({ type }) => !isOwnedCondition(type))) {
          expect(findCondition(merged.conditions, other.type)).toBeDefined();
        }
      }),
    );
  });
});
