import { createTestMachine } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { createLocalNode, type LocalNodeOptions, type LocalNodePorts } from './local-node.ts';

const machine = createTestMachine({
  facts: {
    architecture: 'arm64',
    cores: 4,
    memoryBytes: 8 * 1024 ** 3,
    hugePages: [{ sizeBytes: 2 * 1024 ** 2, count: 512 }],
  },
  fileSystemBytes: 1e11,
});
const { signal } = new AbortController();
async function loaded(options: LocalNodeOptions = {}, ports: Partial<LocalNodePorts> = {}) {
  const made = createLocalNode(
    {
      name: 'node1',
      rootDirectory: '/root',
      runtime: { status: async () => ({ features: { supplementalGroupsPolicy: true } }) as never },
      machine,
      ...ports,
    },
    options,
  );
  await made.load(signal);
  return made.read(signal);
}

describe('the local node', () => {
  it('has the healthy devices of plugins, and none of those that are gone', async () => {
    const amounts = () => ({ capacity: { 'a.b/gpu': '2' }, allocatable: { 'a.b/gpu': '1' }, removed: ['a.b/old'] });
    const { status } = await loaded({}, { devices: { amounts } });
    expect(status?.allocatable).toMatchObject({ 'a.b/gpu': '1', 'a.b/old': '0' });
  });

  it('has the identity, labels and resources of the machine', async () => {
    const { metadata, spec, status } = await loaded();
    expect(metadata).toEqual({
      name: 'node1',
      labels: {
        'beta.kubernetes.io/arch': 'arm64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'arm64',
        'kubernetes.io/hostname': 'node1',
        'kubernetes.io/os': 'linux',
      },
    });
    expect(spec).toEqual({ taints: [] });
    expect(status).toEqual({
      allocatable: {
        cpu: '4',
        memory: String(7 * 1024 ** 3),
        'ephemeral-storage': '100000000000',
        'hugepages-2Mi': String(1024 ** 3),
        pods: '110',
      },
      features: { supplementalGroupsPolicy: true },
    });
  });

  it('has the taints, labels and limits of the configuration', async () => {
    const taint = { key: 'k', effect: 'NoExecute' } as const;
    const options = { registerWithTaints: [taint], nodeLabels: { zone: 'a' }, localStorageCapacityIsolation: false };
    const { metadata, spec, status } = await loaded(options);
    expect(metadata?.labels).toMatchObject({ zone: 'a' });
    expect(spec?.taints).toEqual([taint]);
    expect(status?.allocatable).not.toHaveProperty('ephemeral-storage');
  });

  it.each([
    [20, 0, '20'],
    [20, 3, '12'],
    [10, 3, '10'],
  ])('with maxPods %i and podsPerCore %i has room for %s pods', async (maxPods, podsPerCore, pods) => {
    expect((await loaded({ maxPods, podsPerCore })).status?.allocatable).toMatchObject({ pods });
  });

  it('has the resources that a module provides', async () => {
    const resources = { capacity: () => ({}), allocatable: () => ({ cpu: '3500m', memory: '1Gi' }) };
    const { status } = await loaded({}, { resources });
    expect(status?.allocatable).toEqual({ cpu: '3500m', memory: '1Gi', pods: '110' });
  });

  it('is unknown before it was loaded', () => {
    const ports = { name: 'node1', rootDirectory: '/', machine };
    const made = createLocalNode({ ...ports, runtime: { status: () => Promise.reject(new Error('down')) } });
    expect(() => made.cached()).toThrow(TypeError);
  });
});
