import { testContainer, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { containerResources, sandboxOverhead, sandboxResources } from './linux-resources.ts';
import { defaultNodeSettings, type NodeSettings } from './node-settings.ts';

const node: NodeSettings = { ...defaultNodeSettings, memoryCapacityBytes: 8n * 1024n ** 3n };

describe('containerResources', () => {
  it('uses the limit for a missing request, but not for a request of zero', () => {
    const limits = { cpu: '500m' };
    const shares = (resources: object): bigint => {
      const container = testContainer({ resources });
      return containerResources(testPod({ containers: [container] }), container, node).cpuShares;
    };
    expect(shares({ limits })).toBe(512n);
    expect(shares({ limits, requests: { cpu: '0' } })).toBe(2n);
    expect(shares({})).toBe(2n);
  });

  it('sets group kills and forbids swap on cgroup v2', () => {
    const container = testContainer();
    const unified = (settings: Partial<NodeSettings>): object =>
      containerResources(testPod(), container, { ...node, ...settings }).unified;
    expect(unified({})).toEqual({ 'memory.oom.group': '1' });
    expect(unified({ singleProcessOomKill: true })).toEqual({});
    expect(unified({ swapAccounting: true })).toEqual({ 'memory.oom.group': '1', 'memory.swap.max': '0' });
    expect(unified({ cgroupVersion: 1, swapAccounting: true })).toEqual({});
  });

  it('limits memory and swap together to the limit of memory on cgroup v1', () => {
    const container = testContainer({ resources: { limits: { memory: '64Mi' } } });
    const limitOf = (settings: Partial<NodeSettings>): bigint =>
      containerResources(testPod({ containers: [container] }), container, { ...node, cgroupVersion: 1, ...settings })
        .memorySwapLimitInBytes;
    expect(limitOf({ swapAccounting: true })).toBe(64n * 1024n ** 2n);
    expect(limitOf({ swapAccounting: false })).toBe(0n);
  });

  it('allows swap on cgroup v2 if the node does and accounts for it', () => {
    const container = testContainer({ resources: { requests: { memory: '1Gi' } } });
    const swap = { capacityBytes: 1024n ** 3n };
    const unified = (settings: Partial<NodeSettings>): object =>
      containerResources(testPod({ containers: [container] }), container, { ...node, ...settings }).unified;
    expect(unified({ swap, swapAccounting: true })).toMatchObject({ 'memory.swap.max': '134217728' });
    expect(unified({ swap })).not.toHaveProperty('memory.swap.max');
  });

  it('protects and throttles memory on cgroup v2 if the node does', () => {
    const container = testContainer({ resources: { requests: { memory: '64Mi' }, limits: { memory: '128Mi' } } });
    const memoryQos = { reservationPolicy: 'TieredReservation', throttlingFactor: 0.5 } as const;
    const unified = (settings: Partial<NodeSettings>): object =>
      containerResources(testPod({ containers: [container] }), container, { ...node, ...settings }).unified;
    expect(unified({ memoryQos })).toMatchObject({ 'memory.low': '67108864', 'memory.high': '100663296' });
    expect(unified({ memoryQos, cgroupVersion: 1 })).toEqual({});
  });

  it('limits every page size of the node', () => {
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

  it('falls back to pod-level limits', () => {
    const container = testContainer({ resources: { limits: { memory: '1Gi' } } });
    const pod = testPod({ containers: [container], spec: { resources: { limits: { cpu: '2', memory: '4Gi' } } } });
    const { cpuQuota, memoryLimitInBytes } = containerResources(pod, container, node);
    expect([cpuQuota, memoryLimitInBytes]).toEqual([200_000n, 1024n ** 3n]);
  });

  it('sets no quota when CPU limits are not enforced', () => {
    const container = testContainer({ resources: { limits: { cpu: '1' } } });
    const { cpuQuota, cpuPeriod } = containerResources(testPod(), container, { ...node, cpuCfsQuota: false });
    expect([cpuQuota, cpuPeriod]).toEqual([0n, 0n]);
  });

  it('lifts the quota of a container with CPUs for itself and of its pod, and of no other container', () => {
    const [pinned, shared] = ['pinned', 'shared'].map((name) =>
      testContainer({ name, resources: { limits: { cpu: '1' } } }),
    );
    const pod = testPod({ containers: [pinned!, shared!] });
    const settings = { ...node, isCpuUnlimited: (_uid: string, name: string) => name === 'pinned' };
    expect(containerResources(pod, pinned!, settings)).toMatchObject({ cpuQuota: -1n, cpuPeriod: 100_000n });
    expect(containerResources(pod, shared!, settings)).toMatchObject({ cpuQuota: 100_000n });
    expect(sandboxResources(pod, settings)).toMatchObject({ cpuQuota: -1n });
  });
});

describe('the sandbox', () => {
  const overhead = { cpu: '250m', memory: '120Mi' };
  const pod = testPod({
    containers: [{ resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } }],
    spec: { overhead },
  });

  it('has the sum of the containers’ resources, and its own overhead separately', () => {
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
