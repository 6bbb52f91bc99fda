import { createVirtualClock } from '@rxlet/component-base/testing';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { findCondition } from './condition-types.ts';
import { generatePodStatus } from './generate-pod-status.ts';
import { resizeConditions } from './resize-conditions.ts';
import { createStatusManager } from './status-manager.ts';

const pod = testPod({ metadata: { generation: 2 } });

function setUp() {
  const clock = createVirtualClock();
  const manager = createStatusManager({ clock });
  const report = (isInProgress: boolean, error?: string, podIsTerminal = false) => {
    const previous = manager.previousStatus(pod);
    const conditions = resizeConditions({ pod, previous, isInProgress, error, nowMs: clock.now() });
    const runtime = testRuntimePodStatus({ pod });
    manager.setPodStatus(
      pod,
      generatePodStatus({ pod, runtime, previous, podIsTerminal, resizeConditions: conditions }),
    );
    return findCondition(manager.get('uid-web')?.conditions, 'PodResizeInProgress');
  };
  return { clock, manager, report };
}

describe('PodResizeInProgress', () => {
  it('is absent without a resize', () => {
    expect(resizeConditions({ pod, previous: {}, isInProgress: false, nowMs: 0 })).toEqual([]);
  });

  it('is set while a resize is in progress, since it began', async () => {
    const { clock, report } = setUp();
    expect(report(false)).toBeUndefined();
    report(true);
    await clock.advance(5000);
    expect(report(true)).toMatchObject({
      status: 'True',
      observedGeneration: 2,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(report(true)).not.toHaveProperty('reason');
    expect(report(false)).toBeUndefined();
  });

  it('has reason Error after a failed attempt', async () => {
    const { clock, report } = setUp();
    report(true);
    await clock.advance(5000);
    const failed = { reason: 'Error', message: 'no memory left', lastTransitionTime: '2026-01-01T00:00:05Z' };
    expect(report(true, 'no memory left')).toMatchObject(failed);
    await clock.advance(5000);
    expect(report(true, 'no memory left')).toMatchObject(failed);
    expect(report(true)).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:10Z' });
  });

  it('makes no new version of an unchanged status', async () => {
    const { clock, manager, report } = setUp();
    report(true);
    await clock.advance(5000);
    report(true);
    expect(manager.list()).toMatchObject([{ version: 1 }]);
  });

  it('is absent when all containers have stopped', () => {
    expect(setUp().report(true, undefined, true)).toBeUndefined();
  });
});
