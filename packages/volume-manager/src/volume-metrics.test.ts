import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Labels, Metrics } from '@rxlet/component-base/metrics';
import { expect, it } from 'vitest';
import { createVolumeMetrics } from './volume-metrics.ts';

it('reports volume metrics with the names, labels and values of a kubelet', async () => {
  const seen: string[] = [];
  const record = (name: string) => (value: number, labels?: Labels) =>
    void seen.push(`${name} ${Object.values(labels ?? {}).join()} ${String(value)}`);
  const metrics: Metrics = {
    counter: ({ name }) => ({ inc: (labels, by = 1) => record(name)(by, labels) }),
    gauge: ({ name }) => ({ set: record(name) }),
    histogram: ({ name }) => ({ observe: record(name) }),
  };
  const clock = createVirtualClock();
  const volumes = createVolumeMetrics(metrics, clock);
  const nfs = { plugin: 'kubernetes.io/nfs', isTranslated: false };
  await volumes.measure('volume_mount', nfs, () => clock.advance(1_500));
  const failing = volumes.measure('volume_unmount', nfs, () => Promise.reject(new Error('busy')));
  await expect(failing).rejects.toThrow('busy');
  await volumes.measure('map_volume', { plugin: 'kubernetes.io/csi:d', isTranslated: true }, async () => undefined);
  const beganMs = clock.monotonicNow();
  await clock.advance(2_000);
  volumes.mounted('kubernetes.io/csi:d', beganMs);
  volumes.reconstructed(false);
  volumes.reconstructed(true);
  volumes.setOrphans(2, 1);
  volumes.setTotals('actual_state_of_world', ['a', 'b', 'a']);
  volumes.setTotals('actual_state_of_world', ['b']);
  expect(seen).toEqual([
    'storage_operation_duration_seconds kubernetes.io/nfs,volume_mount,false,success 1.5',
    'storage_operation_duration_seconds kubernetes.io/nfs,volume_unmount,false,fail-unknown 0',
    'storage_operation_duration_seconds kubernetes.io/csi:d,map_volume,true,success 0',
    'volume_operation_total_seconds kubernetes.io/csi:d,overall_volume_mount 2',
    'reconstruct_volume_operations_total  1',
    'reconstruct_volume_operations_total  1',
    'reconstruct_volume_operations_errors_total  1',
    'kubelet_orphan_pod_cleaned_volumes  2',
    'kubelet_orphan_pod_cleaned_volumes_errors  1',
    'volume_manager_total_volumes a,actual_state_of_world 2',
    'volume_manager_total_volumes b,actual_state_of_world 1',
    'volume_manager_total_volumes a,actual_state_of_world 0',
    'volume_manager_total_volumes b,actual_state_of_world 1',
  ]);
});
