import { createVirtualClock } from '@rxlet/component-base/testing';
import { ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createCallMetrics, operationType } from './call-metrics.ts';
import { recordingMetrics } from '../test-support/test-client.ts';

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
    const { metrics, counts, observations, buckets } = recordingMetrics();
    const record = createCallMetrics(metrics, clock)('ListContainers');
    await clock.advance(250);
    record(0, false);
    record(0, true);
    expect(Object.fromEntries(counts)).toEqual({
      'kubelet_runtime_operations_total{list_containers}': 2,
      'kubelet_runtime_operations_errors_total{list_containers}': 1,
    });
    expect(observations.get('kubelet_runtime_operations_duration_seconds{list_containers}')).toEqual([0.25, 0.25]);
    const bounds = buckets.get('kubelet_runtime_operations_duration_seconds')!;
    expect(bounds).toHaveLength(14);
    expect(bounds.slice(0, 3)).toEqual([0.005, 0.0125, 0.03125]);
  });
});
