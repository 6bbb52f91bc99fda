import { systemClock as clock, systemRandom as random } from '@rxlet/component-base';
import { admin, createFakeKube, nodeUser, serveFakeKube, type User } from '@rxlet/fake-kube';
import { describe, it } from 'vitest';
import { createKubeClient } from './create-kube-client.ts';
import type { KubeEndpoint } from './kubeconfig/kube-endpoint.ts';
import { parseKubeconfig } from './kubeconfig/parse-kubeconfig.ts';
import { startControlPlane } from './test-support/control-plane.ts';
import type { KubeTransport } from './transport/kube-transport.ts';
import { createUndiciTransport } from './transport/undici-transport.ts';
import { describeApiContract } from './test-support/api-contract.ts';
import type { ContractTarget } from './test-support/contract-fixture.ts';

const NODE = nodeUser('contract-node');
const PROGRAMS = process.env['RXLET_TEST_CONTROL_PLANE'];

const clientOf = (transport: KubeTransport): ContractTarget['admin'] =>
  createKubeClient({ transport, clock, random }, { userAgent: 'kubelet/v1.36.2 (linux/amd64) kubernetes/test' });

/** Connects both users to a server on the network. */
async function connect(
  stack: AsyncDisposableStack,
  endpointOf: (user: User) => Promise<KubeEndpoint>,
): Promise<ContractTarget> {
  const open = async (user: User): Promise<ContractTarget['admin']> =>
    clientOf(stack.use(createUndiciTransport({ clock, env: {} }, await endpointOf(user))));
  const clients = { admin: await open(admin), node: await open(NODE) };
  return { ...clients, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describeApiContract('an API server in memory', async () => {
  const kube = createFakeKube({ clock, random }, { authorization: 'node' });
  const as = (user: User): ContractTarget['admin'] =>
    clientOf({ send: (request) => kube.handle({ ...request, user }) });
  return { admin: as(admin), node: as(NODE), [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose]() };
});

describeApiContract('an API server in memory, over HTTPS', async () => {
  const stack = new AsyncDisposableStack();
  const kube = stack.use(createFakeKube({ clock, random }, { authorization: 'node' }));
  const server = stack.use(await serveFakeKube(kube));
  return connect(stack, async (user) => parseKubeconfig(await server.kubeconfig(user), '/kubeconfig'));
});

if (PROGRAMS === undefined) {
  describe('a real API server', () => {
    it.skip('is not tested: RXLET_TEST_CONTROL_PLANE names no folder with etcd and kube-apiserver', () => undefined);
  });
} else {
  describeApiContract('a real API server', async () => {
    const stack = new AsyncDisposableStack();
    const plane = stack.use(await startControlPlane(PROGRAMS));
    return connect(stack, plane.endpointOf);
  });
}
