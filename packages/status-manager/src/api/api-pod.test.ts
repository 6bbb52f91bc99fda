import type { PodPhase, PodStatus } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { generatePodStatus } from '../generate-pod-status.ts';
import { canBeDeleted, needsReadinessReconcile, needsReconcile } from './api-pod.ts';

describe('canBeDeleted', () => {
  const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const pod = (phase: PodPhase, more: Parameters<typeof testPod>[0] = {}) =>
    testPod({ metadata: deleting, status: { phase }, ...more });

  it('asks for the end of the pod in the API and on the node', () => {
    expect(canBeDeleted(pod('Failed'), true)).toBe(true);
    expect(canBeDeleted(pod('Failed'), false)).toBe(false);
    expect(canBeDeleted(pod('Running'), true)).toBe(false);
    expect(canBeDeleted(testPod({ status: { phase: 'Failed' } }), true)).toBe(false);
  });

  it('leaves mirror pods alone', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    expect(canBeDeleted(pod('Failed', { annotations }), true)).toBe(false);
  });
});

describe('needsReconcile', () => {
  it('compares what the node owns, as it is published', () => {
    const held: PodStatus = {
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const inApi = (status: object) => testPod({ status: { ...held, ...status } });
    const foreign = { conditions: [...held.conditions!, { type: 'gate', status: 'True' }], nominatedNodeName: 'x' };
    expect(needsReconcile(inApi({}), held)).toBe(false);
    expect(needsReconcile(inApi({ startTime: '2026-01-01T00:00:00.5Z' }), held)).toBe(false);
    expect(needsReconcile(inApi(foreign), held)).toBe(false);
    expect(needsReconcile(inApi({ containerStatuses: null }), held)).toBe(false);
    expect(needsReconcile(inApi({ startTime: null, conditions: null }), held)).toBe(true);
    expect(needsReconcile(inApi({ phase: 'Pending' }), held)).toBe(true);
    expect(needsReconcile(inApi({ conditions: [] }), held)).toBe(true);
  });
});

describe('needsReadinessReconcile', () => {
  it('is when the gates say another thing than the pod does', () => {
    const withGate = (status: string | undefined) =>
      testPod({
        spec: { readinessGates: [{ conditionType: 'gate' }] },
        status: { conditions: status === undefined ? [] : [{ type: 'gate', status }] },
      });
    const shown = generatePodStatus({ pod: withGate('False'), runtime: testRuntimePodStatus() });
    const changedTo = (status: string) => {
      const pod = withGate(status);
      const others = shown.conditions!.filter(({ type }) => type !== 'gate');
      return { ...pod, status: { ...shown, conditions: [...others, ...pod.status!.conditions!] } };
    };
    expect(needsReadinessReconcile(changedTo('False'))).toBe(false);
    expect(needsReadinessReconcile(changedTo('True'))).toBe(true);
    expect(needsReadinessReconcile(changedTo('Unknown'))).toBe(true);
    expect(needsReadinessReconcile(withGate('True'))).toBe(false);
    expect(needsReadinessReconcile({ ...changedTo('True'), spec: testPod().spec! })).toBe(false);
  });
});
