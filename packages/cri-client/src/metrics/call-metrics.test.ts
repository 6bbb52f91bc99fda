import type { Metrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createCallMetrics, operationType } from './call-metrics.ts';

describe('operationType', () => {
  it('has a name in the style of the kubelet for each of the 41 RPCs', () => {
    const methods = [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods];
    expect(methods).toHaveLength(41);
    for (const { name } of methods) expect(operationType(name), name).toMatch(/^[a-z_]+$/);
  });

  it.each([
    ['RunPodSandbox', 'run_podsandbox'],
    ['UpdateContainerResources', 'update_container'],
    ['ListPodSandbox', 'list_podsandbox'],
    ['StreamContainers', 'list_containers'],
    ['GetContainerEvents', 'get_container_events'],
    ['ImageFsInfo', 'image_fs_info'],
  ])('names %s %s', (method, expected) => {
    expect(operationType(method)).toBe(expected);
  });
});

describe('createCallMetrics', () => {
  it('counts calls and failures and measures the time under the names of the kubelet', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    let bounds: readonly number[] = [];
    const histogram: Metrics['histogram'] = (options) => {
      bounds = options.buckets;
      return metrics.histogram(options);
    };
    const record = createCallMetrics({ ...metrics, histogram }, clock)('ListContainers');
    await clock.advance(250);
    record(0, false);
    record(0, true);
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_runtime_operations_total{operation_type="list_containers"}': 2,
      'kubelet_runtime_operations_errors_total{operation_type="list_containers"}': 1,
    });
    expect(metrics.observed('kubelet_runtime_operations_duration_seconds{operation_type="list_containers"}')).toEqual([
      0.25, 0.25,
    ]);
    expect(bounds).toHaveLength(14);
    expect(bounds.slice(0, 3)).toEqual([0.005, 0.0125, 0.03125]);
  });
});
