import { createFakeKube, nodeUser } from '@rxlet/fake-kube';
import { createKubeClients, type KubeTransport } from '@rxlet/kube-client';
import { node as nodePreset, standalone } from '@rxlet/kubelet';
import { nodeStatus } from '@rxlet/node-status';
import { createTestMachine } from '@rxlet/machine/testing';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode } from '../test-node.ts';

/** Modules of the packages volume-manager, csi and device-manager. */
const CAPABILITIES = ['volumes', 'csi', 'device-plugins'];
const pod = manifestPod('web');

describe.each([...CAPABILITIES.map((name) => [name]), CAPABILITIES].map((names) => ({ names })))(
  'a preset without $names',
  ({ names }) => {
    const isKept = ({ name }: { readonly name: string }): boolean => !names.includes(name);

    it('runs and removes a pod as a standalone agent', async () => {
      await using node = createTestNode();
      expect(standalone().map(({ name }) => name)).toEqual(expect.arrayContaining(names));
      await node.start({ without: names });
      node.desire(pod);
      await node.until(() => node.running().includes('web/app'));
      node.desire();
      await node.until(() => node.running().length === 0 && node.agent().pods.list().length === 0);
      await node.expectNoLeaks();
    });

    it('runs a pod as a node of a cluster, which becomes ready', async () => {
      await using node = createTestNode();
      const kube = createFakeKube(node, { authorization: 'node' });
      const transport: KubeTransport = { send: (request) => kube.handle({ ...request, user: nodeUser('node1') }) };
      const clients = createKubeClients({ ...node, transport }, { userAgent: 'test' });
      // The modules of a standalone agent are those of the test node, which work on its fakes.
      const onFakes = new Set(standalone().map(({ name }) => name));
      const preset = nodePreset(clients, [nodeStatus({ machine: createTestMachine() })]);
      const modules = preset.filter(isKept).filter(({ name }) => !onFakes.has(name));
      await node.start({ modules, without: ['status-checkpoint', ...names] });
      kube.objects.apply({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } },
        spec: { ...pod.spec, nodeName: 'node1' },
        status: { phase: 'Pending' },
      });
      await node.until(() => node.running().includes('web/app'));
      await node.until(() => isReady(kube.objects.get({ group: '', plural: 'nodes' }, 'node1')));
      const csiNode = kube.objects.get({ group: 'storage.k8s.io', plural: 'csinodes' }, 'node1');
      expect(csiNode === undefined).toBe(names.includes('csi'));
      await node.stop();
      await node.expectNoLeaks();
    });
  },
);

function isReady(node: object | undefined): boolean {
  const { status } = (node ?? {}) as { readonly status?: { readonly conditions?: readonly Record<string, unknown>[] } };
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
