import type { PodStatus } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { generatePodStatus } from './generate-pod-status.ts';
import { isUrgent } from './is-urgent.ts';

describe('isUrgent', () => {
  const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });
  const generate = (ready: readonly string[], state: 'running' | 'exited' = 'running'): PodStatus =>
    generatePodStatus({
      pod,
      runtime: testRuntimePodStatus({
        pod,
        containers: [
          { name: 'a', state },
          { name: 'b', state },
        ],
      }),
      probes: { isReady: (id) => ready.includes(id), isStarted: () => undefined },
    });
  const both = generate(['containerd://a-0', 'containerd://b-0']);
  const one = generate(['containerd://a-0']);
  const none = generate([]);

  it('is true for readiness of the pod or of a container', () => {
    expect(isUrgent({}, both)).toBe(true);
    expect(isUrgent(both, one)).toBe(true);
    expect(isUrgent(one, none)).toBe(true);
    expect(isUrgent(one, both)).toBe(true);
  });

  it('is true for a terminal phase', () => {
    expect(isUrgent(none, { ...none, phase: 'Failed' })).toBe(true);
    expect(isUrgent({ ...none, phase: 'Failed' }, { ...none, phase: 'Failed', message: 'why' })).toBe(false);
  });

  it('is false for all other changes', () => {
    expect(isUrgent({}, generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod, containers: [] }) }))).toBe(
      false,
    );
    expect(isUrgent(none, generate([], 'exited'))).toBe(false);
    expect(isUrgent(both, { ...both, message: 'x' })).toBe(false);
  });
});
