import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createResizeConditions } from './resize-conditions.ts';
import { recordingMetrics } from './test-support/recording-metrics.ts';

describe('resize conditions', () => {
  it('hold since their reason last changed', async () => {
    const clock = createVirtualClock();
    const conditions = createResizeConditions({ clock });
    expect(conditions.setPending('a', 'Deferred', { message: 'full', observedGeneration: 2 })).toBe(true);
    await clock.advance(5000);
    expect(conditions.setPending('a', 'Deferred', { message: 'full', observedGeneration: 3 })).toBe(false);
    expect(conditions.forPod('a')).toEqual([
      {
        type: 'PodResizePending',
        status: 'True',
        reason: 'Deferred',
        message: 'full',
        observedGeneration: 3,
        lastProbeTime: '2026-01-01T00:00:05Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    await clock.advance(5000);
    expect(conditions.setPending('a', 'Infeasible')).toBe(true);
    expect(conditions.forPod('a')).toMatchObject([
      { reason: 'Infeasible', lastTransitionTime: '2026-01-01T00:00:10Z' },
    ]);
  });

  it('say that a resize is under way, and when it does not get on', () => {
    const conditions = createResizeConditions({ clock: createVirtualClock() });
    expect(conditions.setInProgress('a', { observedGeneration: 2 })).toBe(true);
    expect(conditions.forPod('a')[0]).not.toHaveProperty('reason');
    expect(conditions.setInProgress('a', { error: true, message: 'no' })).toBe(true);
    conditions.setPending('a', 'Deferred');
    expect(conditions.forPod('a')).toMatchObject([
      { type: 'PodResizePending' },
      { type: 'PodResizeInProgress', reason: 'Error', message: 'no' },
    ]);
    expect(conditions.clearInProgress('a')).toBe(true);
    expect(conditions.clearInProgress('a')).toBe(false);
    expect(conditions.clearPending('a')).toBe(true);
    expect(conditions.forPod('a')).toEqual([]);
  });

  it('are counted', () => {
    const metrics = recordingMetrics();
    const conditions = createResizeConditions({ clock: createVirtualClock(), metrics });
    const counts = (): (number | undefined)[] =>
      ['pending_resizes{deferred}', 'pending_resizes{infeasible}', 'in_progress_resizes'].map((name) =>
        metrics.values.get(`kubelet_pod_${name}`),
      );
    conditions.setPending('a', 'Deferred');
    conditions.setPending('b', 'Infeasible');
    conditions.setInProgress('b');
    expect(counts()).toEqual([1, 1, 1]);
    conditions.forget('b');
    expect(counts()).toEqual([1, 0, 0]);
  });
});
