import { cpuManager, type CpuManagerModuleOptions } from '@rxlet/cpu-manager';
import type { Container, Pod } from '@rxlet/kube-api';
import { createTestTopology, type TestTopology } from '@rxlet/machine/testing';
import { manifestPod } from '@rxlet/pod-model/testing';
import { topologyManager } from '@rxlet/topology-manager';
import { describe, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A pod whose container requests these amounts, and has them as limits unless it is burstable. */
function podWith(name: string, cpu: string, more: Partial<Container> & { readonly memory?: string } = {}): Pod {
  const { memory = '64Mi', ...container } = more;
  const amounts = { cpu, memory };
  return manifestPod(name, {
    containers: [{ name: 'app', image: 'app:1', resources: { requests: amounts, limits: amounts }, ...container }],
  });
}

const burstable = (name: string): Pod => podWith(name, '100m', { resources: { requests: { cpu: '100m' } } });

/** Modules of a machine with this shape: 4 CPUs on one NUMA node by default, of which one is reserved. */
function managers(
  shape: TestTopology = {},
  cpus: CpuManagerModuleOptions = {},
  topology: Parameters<typeof topologyManager>[0] = {},
) {
  const readTopology = async () => createTestTopology(shape);
  return [
    topologyManager({ readTopology, ...topology }),
    cpuManager({ policy: 'static', systemReserved: { cpu: '500m' }, readTopology, ...cpus }),
  ];
}

const resourcesOf = (node: TestNode, pod: string) => node.instances(pod).at(-1)?.resources?.linux;
const cpusOf = (node: TestNode, pod: string): string | undefined => resourcesOf(node, pod)?.cpusetCpus;
const statusOf = (node: TestNode, name: string) =>
  node
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name?.startsWith(name))?.status;
const stateFile = (node: TestNode, name: string): unknown => JSON.parse(node.files.text(`/root/${name}`) ?? 'null');

describe('exclusive CPUs', () => {
  it('belong to their container alone, stay over a kill, and are shared again when their pod has ended', async () => {
    await using node = createTestNode();
    await node.start({ modules: managers() });
    node.desire(burstable('shared'));
    await node.until(() => node.running().includes('shared/app'));
    expect(cpusOf(node, 'shared')).toBe('0-3');

    node.desire(burstable('shared'), podWith('pinned', '2'));
    await node.until(() => node.running().includes('pinned/app'));
    expect(cpusOf(node, 'pinned')).toBe('1-2');
    await node.until(() => cpusOf(node, 'shared') === '0,3', 1_000);

    await node.kill();
    const updates = node.fake.calls.get('updateContainerResources') ?? 0;
    await node.start({ modules: managers() });
    await node.advance(15_000);
    expect(node.startsMs('pinned')).toHaveLength(1);
    // A runtime may have lost them, so each container is updated once.
    expect(node.fake.calls.get('updateContainerResources')).toBe(updates + 2);
    expect([cpusOf(node, 'pinned'), cpusOf(node, 'shared')]).toEqual(['1-2', '0,3']);

    node.desire(burstable('shared'), podWith('pinned', '2'), podWith('large', '3'));
    await node.untilPhase('large', 'Failed');
    expect(statusOf(node, 'large')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: expect.stringContaining(
        'Allocate failed due to not enough cpus available to satisfy request: requested=3, available=1, which is unexpected',
      ) as string,
    });
    node.desire(burstable('shared'));
    await node.until(() => cpusOf(node, 'shared') === '0-3');
    expect(node.running()).toEqual(['shared/app']);
    node.desire(burstable('shared'), podWith('next', '3'));
    await node.until(() => node.running().includes('next/app'));
    expect(cpusOf(node, 'next')).toBe('1-3');
    await node.until(() => cpusOf(node, 'shared') === '0', 1_000);
    node.desire(burstable('shared'));
    await node.until(() => cpusOf(node, 'shared') === '0-3');
    expect(stateFile(node, 'cpu_manager_state')).toMatchObject({ policyName: 'static', defaultCpuSet: '0-3' });
    await node.expectNoLeaks();
  });
});
