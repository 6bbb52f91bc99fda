import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createRequestMeter } from './request-meter.ts';

describe('createRequestMeter', () => {
  it('counts a request while it is served, and measures it also when it fails', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const meter = createRequestMeter(metrics, clock);
    const labels = '{long_running="true",method="POST",path="exec",server_type="readwrite"}';
    const { promise, reject } = Promise.withResolvers<void>();
    const served = meter.measure('readwrite', 'POST', '/exec/a/b/c', () => promise);
    expect(metrics.values.get(`kubelet_http_inflight_requests${labels}`)).toBe(1);
    await clock.advance(1500);
    reject(new Error('gone'));
    await expect(served).rejects.toThrow('gone');
    expect(metrics.values.get(`kubelet_http_inflight_requests${labels}`)).toBe(0);
    expect(metrics.values.get(`kubelet_http_requests_total${labels}`)).toBe(1);
    expect(metrics.observed(`kubelet_http_requests_duration_seconds${labels}`)).toEqual([1.5]);
  });

  it.each([
    ['/', 'GET', 'other', 'GET'],
    ['/pods/', 'HEAD', 'pods', 'HEAD'],
    ['/metrics', 'GET', 'metrics', 'GET'],
    ['/metrics/cadvisor/x', 'GET', 'metrics/cadvisor', 'GET'],
    ['/metrics/slis', 'GET', 'other', 'GET'],
    ['/__proto__', 'PATCH', 'other', 'other'],
    ['/portForward/a/b', 'BREW', 'portForward', 'other'],
  ])('counts %s by %s under a bounded number of labels', async (path, method, pathLabel, methodLabel) => {
    const metrics = recordingMetrics();
    await createRequestMeter(metrics, createVirtualClock()).measure('readonly', method, path, async () => undefined);
    const labels = `{long_running="false",method="${methodLabel}",path="${pathLabel}",server_type="readonly"}`;
    expect(metrics.values.get(`kubelet_http_requests_total${labels}`)).toBe(1);
  });
});
