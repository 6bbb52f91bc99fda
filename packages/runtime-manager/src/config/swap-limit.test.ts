import { testContainer, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { swapLimitBytes } from './swap-limit.ts';

const GI = 1024n ** 3n;

function limitOf(resources: object, pod: Parameters<typeof testPod>[0] = {}, swap = 4n * GI): bigint {
  const container = testContainer({ resources });
  return swapLimitBytes(testPod({ ...pod, containers: [container] }), container, { capacityBytes: swap }, 16n * GI);
}

describe('swapLimitBytes', () => {
  const burstable = { requests: { memory: '4Gi' }, limits: { memory: '8Gi' } };

  it('gives a Burstable container the share of swap that its request is of the memory', () => {
    expect(limitOf(burstable)).toBe(GI);
    expect(limitOf({ requests: { memory: '4Gi' } })).toBe(GI);
  });

  it('rounds down', () => {
    expect(limitOf({ requests: { memory: '1000' } }, {}, 3n * GI)).toBe(187n);
  });

  it.each([
    ['Guaranteed', { requests: { cpu: '1', memory: '4Gi' }, limits: { cpu: '1', memory: '4Gi' } }, {}],
    ['BestEffort', {}, {}],
    ['without a request for memory in a Burstable pod', { requests: { cpu: '1' } }, {}],
    ['with a limit that is the request', { requests: { memory: '4Gi' }, limits: { memory: '4Gi' } }, {}],
    ['critical', burstable, { spec: { priority: 2_000_000_000 } }],
    ['static', burstable, { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } }],
    ['requesting more than the node has', { requests: { memory: '17Gi' } }, {}],
  ])('gives none to a container that is %s', (_kind, resources, pod) => {
    expect(limitOf(resources, pod)).toBe(0n);
  });
});
