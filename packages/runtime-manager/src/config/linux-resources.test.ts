import { testContainer, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { containerResources, sandboxOverhead, sandboxResources } from './linux-resources.ts';
import { defaultNodeSettings, type NodeSettings } from './node-settings.ts';

const node: NodeSettings = { ...defaultNodeSettings, memoryCapacityBytes: 8n * 1024n ** 3n };

describe('containerResources', () => {
  it('lets the limit stand in for a missing request, but not for one of zero', () => {
    const limits = { cpu: '500m' };
    const shares = (resources: object): bigint => {
      const container = testContainer({ resources });
      return containerResources(testPod({ containers: [container] }), container, node).cpuShares;
    };
    expect(shares({ limits })).toBe(512n);
    expect(shares({ limits, requests: { cpu: '0' } })).toBe(2n);
    expect(shares({})).toBe(2n);
  });

  it('kills and swaps whole containers as cgroup v2 can', () => {
    const container = testContainer();
    const unified = (settings: Partial<NodeSettings>): object =>
      containerResources(testPod(), container, { ...node, ...settings }).unified;
    expect(unified({})).toEqual({ 'memory.oom.group': '1' });
    expect(unified({ singleProcessOomKill: true })).toEqual({});
    expect(unified({ swapAccounting: true })).toEqual({ 'memory.oom.group': '1', 'memory.swap.max': '0' });
    expect(unified({ cgroupVersion: 1, swapAccounting: true })).toEqual({});
  });

  it('limits every page size that the node has', () => {
    const container = testContainer({ resources: { limits: { 'hugepages-2Mi': '64Mi' } } });
    const { hugepageLimits } = containerResources(testPod({ containers: [container] }), container, {
      ...node,
      hugePageSizes: ['2MB', '1GB'],
    });
    expect(hugepageLimits.map(({ pageSize, limit }) => [pageSize, limit])).toEqual([
      ['2MB', 67_108_864n],
      ['1GB', 0n],
    ]);
  });

  it('takes limits of the pod where the container has none', () => {
    const container = testContainer({ resources: { limits: { memory: '1Gi' } } });
    const pod = testPod({ containers: [container], spec: { resources: { limits: { cpu: '2', memory: '4Gi' } } } });
    const { cpuQuota, memoryLimitInBytes } = containerResources(pod, container, node);
    expect([cpuQuota, memoryLimitInBytes]).toEqual([200_000n, 1024n ** 3n]);
  });

  it('sets no quota where that is turned off', () => {
    const container = testContainer({ resources: { limits: { cpu: '1' } } });
    const { cpuQuota, cpuPeriod } = containerResources(testPod(), container, { ...node, cpuCfsQuota: false });
    expect([cpuQuota, cpuPeriod]).toEqual([0n, 0n]);
  });
});

describe('the sandbox', () => {
  const overhead = { cpu: '250m', memory: '120Mi' };
  const pod = testPod({
    containers: [{ resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } }],
    spec: { overhead },
  });

  it('is told what the containers need together, and its own overhead apart from that', () => {
    expect(sandboxResources(pod, node)).toMatchObject({
      cpuShares: 1024n,
      cpuQuota: 0n,
      memoryLimitInBytes: 1024n ** 3n,
    });
    expect(sandboxOverhead(pod, node)).toMatchObject({
      cpuShares: 256n,
      cpuQuota: 25_000n,
      memoryLimitInBytes: 120n * 1024n ** 2n,
    });
    expect(sandboxOverhead(testPod(), node)).toMatchObject({ cpuShares: 0n, cpuPeriod: 0n });
  });
});
