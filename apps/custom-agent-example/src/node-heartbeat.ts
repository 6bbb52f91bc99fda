import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';

/** Ports of a node without an agent. */
export interface NodePorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A Node object with its name. */
export type NamedNode = Node & { readonly metadata: { readonly name: string } };

const PERIOD_MS = 10_000;
const { leases, nodes } = resources;

/** Registers a node, and renews the lease by which the cluster sees that it lives. */
export function startHeartbeat({ client, clock, logger }: NodePorts, node: NamedNode): AsyncDisposable {
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const { name } = node.metadata;
  const lease = { namespace: 'kube-node-lease', name };
  const beat = async (): Promise<void> => {
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date(clock.now()).toISOString() };
    await client.create(nodes, node, { signal }).catch(unlessExists);
    await client.create(leases, { metadata: lease, spec }, { signal }).catch(unlessExists);
    await client.patch(leases, lease, { type: 'merge', body: { spec } }, { signal });
  };
  const run = async (): Promise<void> => {
    for (; !signal.aborted; await sleep(clock, PERIOD_MS, signal))
      await beat().catch((error: unknown) => logger.warn('cannot renew the lease', { error: errorMessage(error) }));
  };
  void lifetime.track(run()).catch(() => undefined);
  return lifetime;
}

function unlessExists(error: unknown): void {
  if (!isKubeError(error, 'AlreadyExists')) throw error;
}
