import { createVirtualClock } from '@rxlet/component-base/testing';
import { podUid } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodView } from './pod-view.ts';

const uid = 'uid-web';
const pending = testPod({ status: { phase: 'Pending' } });

function setUp() {
  const view = createPodView(createVirtualClock());
  const changes: string[] = [];
  view.changes$.subscribe(({ type, pod }) => changes.push(`${type} ${pod.status?.phase ?? ''}`));
  const phases = () => view.list().map(({ status }) => status?.phase);
  return { view, changes, phases };
}

describe('the view of a pod that another agent started', () => {
  it('shows the pod with its first generated status', () => {
    const { view, changes, phases } = setUp();
    view.putAdopted(pending);
    view.putAdopted(pending);
    expect(phases()).toEqual([]);
    expect(view.all().map(podUid)).toEqual([uid]);
    view.setStatus(uid, { phase: 'Running' });
    view.setStatus(uid, { phase: 'Running', message: 'x' });
    expect(phases()).toEqual(['Running']);
    expect(changes).toEqual(['ADDED Running', 'MODIFIED Running']);
  });

  it('keeps the status of a pod that is shown already', () => {
    const { view, changes } = setUp();
    view.put(pending);
    view.setStatus(uid, { phase: 'Running' });
    view.putAdopted(pending);
    expect(changes).toEqual(['ADDED Pending', 'MODIFIED Running', 'MODIFIED Running']);
  });

  it('shows the pod when its source changes or removes it', () => {
    for (const change of ['put', 'markDeleted'] as const) {
      const { view, changes } = setUp();
      view.putAdopted(pending);
      if (change === 'put') view.put(pending);
      else view.markDeleted(uid);
      expect(changes).toEqual(['ADDED Pending']);
    }
  });

  it('reports no end of a pod that was never shown', () => {
    const { view, changes } = setUp();
    view.putAdopted(pending);
    view.remove(uid);
    expect([changes, view.all()]).toEqual([[], []]);
    view.put(pending);
    expect(changes).toEqual(['ADDED Pending']);
  });
});
