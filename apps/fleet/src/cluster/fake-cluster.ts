import { join, parse, resolve } from 'node:path';
import { createLifetime, type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import { admin, createFakeKube, type FakeKube, serveFakeKube } from '@rxlet/fake-kube';
import { createNodeFiles } from '@rxlet/node-files';
import type { KubeTransport, TransportRequest } from '@rxlet/kube-client';
import type { ClusterFlags } from '../flags.ts';
import type { FleetCluster } from './fleet-cluster.ts';
import { issueNodeCertificate } from './node-certificate.ts';

/** Changes that a watch can resume from. */
const HISTORY = 2000;

/** Starts an API server with a scheduler, and writes an administrator's kubeconfig. Rejects when it cannot listen. */
export async function startFakeCluster(
  { host, port, adminKubeconfig, controllers }: Extract<ClusterFlags, { kind: 'fake' }>,
  logger: Logger,
): Promise<FleetCluster> {
  const lifetime = createLifetime();
  try {
    const kube = createFakeKube(
      { clock: systemClock, random: systemRandom, logger },
      { authorization: 'node', schedules: true, controllers, historyLimit: HISTORY },
    );
    lifetime.defer(() => kube[Symbol.asyncDispose]());
    const server = await serveFakeKube(kube, { host, port, logger });
    lifetime.defer(() => server[Symbol.asyncDispose]());
    const authority = await kube.authority();
    const { dir, base } = parse(resolve(adminKubeconfig));
    await createNodeFiles({ roots: [dir] }).replaceFile(join(dir, base), await server.kubeconfig(admin), 0o600);
    return {
      transport: transportTo(kube),
      kubeconfig: join(dir, base),
      identity: {
        certificate: await issueNodeCertificate(authority),
        clientCaPem: authority.certificatePem,
      },
      outlivesFleet: false,
      note: `API server for tests on ${server.url}: kubectl --kubeconfig ${adminKubeconfig} get nodes`,
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    };
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}

/** Nodes of the same thread need no network. */
function transportTo(kube: FakeKube): KubeTransport {
  return { send: (request: TransportRequest) => kube.handle({ ...request, user: admin }) };
}
