import { sleep } from '@rxlet/component-base';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { rejectionOf, scriptedServices } from '../test-support/scripted-services.ts';
import { instrumented } from './instrumented.ts';

const clock = createVirtualClock();
const services = scriptedServices({
  version: () => sleep(clock, 250).then(() => ({ runtimeName: 'x' })),
  removeImage: () => Promise.reject(new ServiceError(StatusCode.NotFound, 'no such image')),
  getContainerEvents: async function* () {
    yield { containerId: 'a' };
    yield { containerId: 'b' };
  },
});

describe('instrumented', () => {
  it('counts calls and failures of both ports and measures their time', async () => {
    const metrics = recordingMetrics();
    const { runtime, images } = instrumented(services, { metrics, clock });
    const version = runtime.version({});
    await clock.advance(250);
    expect(await version).toMatchObject({ runtimeName: 'x' });
    expect(await rejectionOf(images.removeImage({}))).toMatchObject({ message: 'no such image' });
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_runtime_operations_total{operation_type="version"}': 1,
      'kubelet_runtime_operations_total{operation_type="remove_image"}': 1,
      'kubelet_runtime_operations_errors_total{operation_type="remove_image"}': 1,
    });
    expect(metrics.observed('kubelet_runtime_operations_duration_seconds{operation_type="version"}')).toEqual([0.25]);
  });

  it('counts a stream once, when it ends or is left, and not at all without a reader', async () => {
    const metrics = recordingMetrics();
    const { runtime } = instrumented(services, { metrics, clock });
    await runtime.getContainerEvents({})[Symbol.asyncIterator]().return!();
    expect(metrics.values.size).toBe(0);
    const seen: string[] = [];
    for await (const { containerId } of runtime.getContainerEvents({})) {
      seen.push(containerId);
      expect(metrics.values.size).toBe(0);
    }
    expect(seen).toEqual(['a', 'b']);
    for await (const _event of runtime.getContainerEvents({})) break;
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_runtime_operations_total{operation_type="get_container_events"}': 2,
    });
  });
});
