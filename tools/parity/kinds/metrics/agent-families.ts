import { createAgent } from '@rxlet/agent';
import { node } from '@rxlet/kubelet';
import { kubeletApi } from '@rxlet/kubelet-server';
import { eviction } from '@rxlet/eviction';
import { servingCertificates } from '@rxlet/certificates';
import { staticPods } from '@rxlet/pod-source';
import { nodeStatus } from '@rxlet/node-status';
import { nodeAdmission } from '@rxlet/node-admission';
import { cgroups } from '@rxlet/container-manager';
import { collectProcessMetrics } from '@rxlet/component-base/prometheus';
import { createCriClient } from '@rxlet/cri-client';
import { createFakeKube, nodeUser } from '@rxlet/fake-kube';
import { createKubeClients } from '@rxlet/kube-client';
import { createTestMachine } from '@rxlet/machine/testing';
import { createTestNode } from '@rxlet/testing';
import { Registry } from 'prom-client';
import { type Family, familiesOf, recordRegistrations } from './families.ts';

/** Returns the metric families that an agent with all modules of a node of a cluster registers before it starts. */
export async function agentFamilies(): Promise<ReadonlyMap<string, Family>> {
  const { metrics, families } = recordRegistrations();
  await using testNode = createTestNode();
  const { clock, random, files, fake } = testNode;
  await using kube = createFakeKube(testNode);
  await using _runtime = createCriClient({ clock, random, metrics }, { endpoint: 'unix:///none.sock' });
  const machine = createTestMachine();
  const transport = {
    send: (request: Parameters<typeof kube.handle>[0]) => kube.handle({ ...request, user: nodeUser('node1') }),
  };
  const clients = createKubeClients({ clock, random, transport, metrics }, { userAgent: 'kubelet' });
  const modules = node(clients, [
    nodeStatus({ machine }),
    nodeAdmission({ machine }),
    cgroups({ machine, openCgroups: async () => testNode.cgroups }),
    staticPods({ path: '/manifests' }),
    eviction(),
    servingCertificates({ directory: '/pki', isRequested: true }),
    kubeletApi({
      address: '127.0.0.1',
      port: 10_250,
      readOnlyPort: 0,
      healthzBindAddress: '127.0.0.1',
      healthzPort: 0,
      tls: {},
      authentication: {
        x509: { clientCaFile: '/ca.crt' },
        webhook: { enabled: true, cacheTtlMs: 1 },
        anonymous: { enabled: false },
      },
      authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTtlMs: 1, cacheUnauthorizedTtlMs: 1 } },
      isFineGrained: true,
      switches: {},
      content: { metrics: async () => ({ contentType: '', text: '' }) },
    }),
  ]);
  await using _agent = await createAgent(
    {
      runtime: fake.runtime,
      images: fake.images,
      node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/logs', memoryCapacityBytes: 1n << 33n },
      files: files.nodeFiles,
      hostFiles: files.hostFiles,
      clock,
      random,
      metrics,
    },
    modules,
  );
  const registry = new Registry();
  collectProcessMetrics(registry);
  return new Map([...(await familiesOf(registry)), ...families]);
}
