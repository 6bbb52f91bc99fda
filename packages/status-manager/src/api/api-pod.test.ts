import type { PodPhase, PodStatus } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { generatePodStatus } from '../generate-pod-status.ts';
import { canBeDeleted, needsReadinessReconcile, needsReconcile } from './api-pod.ts';

describe('canBeDeleted', () => {
  const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const pod = (phase: PodPhase, more: Parameters<typeof testPod>[0] = {}) =>
    testPod({ metadata: deleting, status: { phase }, ...more });

  it('requires the end of the pod in the API and on the node', () => {
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
  it('compares the parts of the node in their published form', () => {
    const reported: PodStatus = {
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const inApi = (status: object) => testPod({ status: { ...reported, ...status } });
    const foreign = { conditions: [...reported.conditions!, { type: 'gate', status: 'True' }], nominatedNodeName: 'x' };
    expect(needsReconcile(inApi({}), reported)).toBe(false);
    expect(needsReconcile(inApi({ startTime: '2026-01-01T00:00:00.5Z' }), reported)).toBe(false);
    expect(needsReconcile(inApi(foreign), reported)).toBe(false);
    expect(needsReconcile(inApi({ containerStatuses: null }), reported)).toBe(false);
    expect(needsReconcile(inApi({ startTime: null, conditions: null }), reported)).toBe(true);
    expect(needsReconcile(inApi({ phase: 'Pending' }), reported)).toBe(true);
    expect(needsReconcile(inApi({ conditions: [] }), reported)).toBe(true);
  });
});

describe('needsReadinessReconcile', () => {
  it('is true when the readiness gates contradict the Ready condition', () => {
    const withGate = (status: string | undefined) =>
      testPod({
        spec: { readinessGates: [{ conditionType: 'gate' }] },
        status: { conditions: status === undefined ? [] : [{ type: 'gate', status }] },
      });
    const generated = generatePodStatus({ pod: withGate('False'), runtime: testRuntimePodStatus() });
    const changedTo = (status: string) => {
      const pod = withGate(status);
      const others = generated.conditions!.filter(({ type }) => type !== 'gate');
      return { ...pod, status: { ...generated, conditions: [...others, ...pod.status!.conditions!] } };
    };
    expect(needsReadinessReconcile(changedTo('False'))).toBe(false);
    expect(needsReadinessReconcile(changedTo('True'))).toBe(true);
    expect(needsReadinessReconcile(changedTo('Unknown'))).toBe(true);
    expect(needsReadinessReconcile(withGate('True'))).toBe(false);
    expect(needsReadinessReconcile({ ...changedTo('True'), spec: testPod().spec! })).toBe(false);
  });
});
