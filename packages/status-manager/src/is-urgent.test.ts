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

  it.each(['Ready', 'ContainersReady'])('is true for condition %s alone, such as that of a readiness gate', (type) => {
    const withCondition = (status: string): PodStatus => ({ conditions: [{ type, status }] });
    expect(isUrgent(withCondition('False'), withCondition('True'))).toBe(true);
    expect(isUrgent(withCondition('True'), withCondition('False'))).toBe(true);
    expect(isUrgent(withCondition('True'), {})).toBe(true);
    expect(isUrgent(withCondition('True'), withCondition('True'))).toBe(false);
    expect(isUrgent({}, withCondition('Unknown'))).toBe(false);
  });

  it('is true when other containers serve traffic than before', () => {
    const serving = (...names: string[]): PodStatus => ({
      containerStatuses: names.map((name) => ({ ...both.containerStatuses![0]!, name })),
    });
    expect(isUrgent(serving('a', 'b'), serving('ab'))).toBe(true);
    const { containerStatuses } = serving('a');
    expect(isUrgent({}, { initContainerStatuses: containerStatuses })).toBe(true);
  });

  it('is false for a completed init container', () => {
    const { state: _, ...stateless } = both.containerStatuses![0]!;
    expect(isUrgent({}, { initContainerStatuses: [{ ...stateless, state: { terminated: { exitCode: 0 } } }] })).toBe(
      false,
    );
    expect(isUrgent({}, { initContainerStatuses: [stateless] })).toBe(false);
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
