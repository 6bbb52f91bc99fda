import { recordingMetrics } from '@rxlet/component-base/testing';
import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { createResizeMetrics } from './resize-metrics.ts';

const podWith = (resources: ResourceRequirements): Pod => testPod({ containers: [{ resources }] });
const operations = (before: ResourceRequirements, after: ResourceRequirements): unknown => {
  const metrics = recordingMetrics();
  createResizeMetrics(metrics, () => []).requested(podWith(before), podWith(after));
  return [...metrics.values.keys()].map((series) =>
    [...series.matchAll(/="(\w+)"/g)].map(([, value]) => value).join(' '),
  );
};

it('counts each changed resource of a container by its operation', () => {
  expect(
    operations(
      { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
      { requests: { cpu: '500m', memory: '2Gi' }, limits: { cpu: '2000m' } },
    ),
  ).toEqual(['increase requests memory', 'remove limits memory', 'decrease requests cpu']);
  expect(operations({}, { limits: { cpu: '1' } })).toEqual(['add limits cpu']);
});

it('counts resizes that can never be put into effect by their cause', () => {
  const metrics = recordingMetrics();
  createResizeMetrics(metrics, () => []).infeasible('swap_limitation');
  expect(Object.fromEntries(metrics.values)).toEqual({
    'kubelet_pod_infeasible_resizes_total{reason_detail="swap_limitation"}': 1,
  });
});

it('counts the pods whose resize is in progress or pending', async () => {
  const metrics = recordingMetrics();
  const resizing = (type: string, reason?: string): Pod => ({
    status: { conditions: [{ type, status: 'True', ...(reason !== undefined && { reason }) }] },
  });
  let pods = [resizing('PodResizeInProgress'), resizing('PodResizePending', 'Deferred'), resizing('Ready')];
  createResizeMetrics(metrics, () => pods);
  await metrics.collect();
  expect(Object.fromEntries(metrics.values)).toEqual({
    kubelet_pod_in_progress_resizes: 1,
    'kubelet_pod_pending_resizes{reason="deferred"}': 1,
  });
  pods = [];
  await metrics.collect();
  expect(Object.fromEntries(metrics.values)).toEqual({ kubelet_pod_in_progress_resizes: 0 });
});
