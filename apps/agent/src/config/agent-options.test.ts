import type { NodeFacts } from '@rxlet/agent';
import { describe, expect, it } from 'vitest';
import { agentOptions } from './agent-options.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';
import { resolveSettings } from './settings.ts';

const facts: NodeFacts = {
  memoryCapacityBytes: 8n << 30n,
  allocatable: { cpu: '2', memory: '8Gi' },
  hugePageSizes: ['2MB'],
  cgroupVersion: 2,
  swapAccounting: false,
  extraMaskedPaths: [],
};
const options = (kubelet: KubeletConfiguration = {}) =>
  agentOptions(resolveSettings({ rootDir: '/root-dir' }, kubelet, { hostname: 'node1', ip: '192.0.2.1' }), facts);

describe('agentOptions', () => {
  it('has the facts of the node, its address and directories', () => {
    expect(options().node).toMatchObject({
      ...facts,
      rootDirectory: '/root-dir',
      podLogsDirectory: '/var/log/pods',
      nodeIps: ['192.0.2.1'],
      cpuCfsQuotaPeriodUs: 100_000,
    });
    expect(options().containerLogsDirectory).toBe('/var/log/containers');
  });

  it('passes on what the configuration says, in the units of the parts', () => {
    const { node, requestTimeoutMs, resyncIntervalMs, crashLoopBackoff, images } = options({
      cpuCFSQuotaPeriod: 50,
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      runtimeRequestTimeout: 30_000,
      syncFrequency: 90_000,
      crashLoopBackOff: { maxContainerRestartPeriod: 60_000 },
      registryPullQPS: 0,
      registryBurst: 3,
    });
    expect(node).toMatchObject({
      cpuCfsQuotaPeriodUs: 50_000,
      clusterDns: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
    });
    expect({ requestTimeoutMs, resyncIntervalMs, crashLoopBackoff }).toEqual({
      requestTimeoutMs: 30_000,
      resyncIntervalMs: 90_000,
      crashLoopBackoff: { maxMs: 60_000 },
    });
    expect(images).toMatchObject({ registryPullQps: 0, registryPullBurst: 3 });
  });

  it.each<[KubeletConfiguration, boolean]>([
    [{}, true],
    [{ maxParallelImagePulls: 1 }, true],
    [{ maxParallelImagePulls: 4 }, false],
    [{ serializeImagePulls: false }, false],
  ])('%j: pulls one image at a time: %s', (kubelet, serial) => {
    expect(options(kubelet).images?.serializeImagePulls).toBe(serial);
  });
});
