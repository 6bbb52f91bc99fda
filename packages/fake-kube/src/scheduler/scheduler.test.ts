import type { NodeSpec, Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createTestServer, podNamed, type TestServer } from '../test-support.ts';

const { pods, nodes } = resources;

function addNode({ kube }: TestServer, name: string, spec: NodeSpec = {}, labels: Record<string, string> = {}): void {
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec,
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      allocatable: { cpu: '2', memory: '4Gi', pods: '3' },
    },
  });
}

const requesting = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'c', image: 'busybox:1', resources: { requests: { cpu } } }],
});

async function place(server: TestServer, name: string, spec: Partial<PodSpec> = {}): Promise<string | undefined> {
  server.kube.objects.create(pods, podNamed(name, spec));
  await server.clock.settle();
  const { spec: placed, status } = server.kube.objects.get(pods, name, 'default') as Pod;
  return placed?.nodeName ?? status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

describe('a server that schedules', () => {
  it('spreads pods over the nodes that have the resources', async () => {
    await using server = createTestServer({ schedules: true });
    addNode(server, 'a');
    addNode(server, 'b');
    expect(await place(server, 'p1', requesting('1500m'))).toBe('a');
    expect(await place(server, 'p2', requesting('1'))).toBe('b');
    expect(await place(server, 'p3', requesting('1'))).toBe('b');
    expect(await place(server, 'p4', requesting('1'))).toBe('0/2 nodes are available: 2 Insufficient cpu.');
    server.kube.objects.delete(pods, 'p1', 'default', 0);
    await server.clock.settle();
    expect((server.kube.objects.get(pods, 'p4', 'default') as Pod).spec?.nodeName).toBe('a');
  });

  it('respects selectors, taints, cordons and the number of pods', async () => {
    await using server = createTestServer({ schedules: true });
    addNode(server, 'a', { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] });
    addNode(server, 'b', { unschedulable: true });
    addNode(server, 'c', {}, { disk: 'ssd' });
    expect(await place(server, 'selecting', { nodeSelector: { disk: 'hdd' } })).toBe(
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s) {gpu: yes}, 1 node(s) were unschedulable.",
    );
    expect(await place(server, 'tolerant', { tolerations: [{ key: 'gpu', operator: 'Exists' }] })).toBe('a');
    for (const name of ['p1', 'p2', 'p3']) expect(await place(server, name)).toBe('c');
    expect(await place(server, 'p4')).toContain('1 Too many pods');
    server.kube.objects.merge(nodes, 'b', undefined, { spec: { unschedulable: false } });
    await server.clock.settle();
    expect((server.kube.objects.get(pods, 'p4', 'default') as Pod).spec?.nodeName).toBe('b');
  });

  it('leaves pods of other schedulers and gated pods alone', async () => {
    await using server = createTestServer({ schedules: true });
    addNode(server, 'a');
    expect(await place(server, 'other', { schedulerName: 'mine' })).toBeUndefined();
    expect(await place(server, 'gated', { schedulingGates: [{ name: 'wait' }] })).toBeUndefined();
  });
});
