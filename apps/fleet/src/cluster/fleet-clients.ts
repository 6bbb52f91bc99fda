import { type Clock, createLifetime, type Logger, type Random } from '@rxlet/component-base';
import type { KubeClient, KubeClients } from '@rxlet/kube-api/client';
import { createKubeClients, type KubeTransport } from '@rxlet/kube-client';
import { createSharedWatches } from '@rxlet/kube-client/shared-watches';

/** Ports of {@link createFleetClients}. */
export interface FleetClientsPorts {
  /** Transport of an administrator. */
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Options of {@link createFleetClients}. */
export interface FleetClientsOptions {
  /** Events of all nodes together, a second. */
  readonly eventsPerSecond: number;
  /** Whether each node acts as its own user, with requests and watches of its own. */
  readonly actsAsNodes: boolean;
}

/** Clients of the nodes. Disposal ends what they share. */
export interface FleetClients extends AsyncDisposable {
  /** Client of the administrator. */
  readonly admin: KubeClient;
  clientsOf(nodeName: string): KubeClients;
}

/** Part of the user agent before the slash is the owner of the fields that the nodes write: that of a kubelet. */
const USER_AGENT = 'kubelet/v1.36.2 (rxlet-fleet) kubernetes/fleet';

/**
 * Creates the clients of a fleet. Without users of their own, all nodes share one client and its watches: one of all pods, and one of all Node objects, ConfigMaps,
 * Secrets, Services and RuntimeClasses each.
 */
export function createFleetClients(
  { transport, ...ports }: FleetClientsPorts,
  { eventsPerSecond, actsAsNodes }: FleetClientsOptions,
): FleetClients {
  const lifetime = createLifetime();
  // Real nodes have limits of their own, which one client of them all does not.
  const limits = {
    userAgent: USER_AGENT,
    kubeAPIQPS: -1,
    eventRecordQPS: eventsPerSecond,
    eventBurst: eventsPerSecond,
  };
  const common = createKubeClients({ ...ports, transport }, limits);
  if (actsAsNodes) {
    return {
      admin: common.main,
      clientsOf: (name) => ({
        ...createKubeClients({ ...ports, transport: actingAs(transport, name) }, { userAgent: USER_AGENT }),
        // Events are as many as the fleet's, not as each node's.
        events: common.events,
      }),
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    };
  }
  const shared = createSharedWatches({ client: common.main, logger: ports.logger });
  lifetime.defer(() => shared[Symbol.asyncDispose]());
  const main: KubeClient = { ...common.main, watch: shared.watch };
  const clients: KubeClients = { ...common, main };
  return { admin: common.main, clientsOf: () => clients, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

/** Impersonates a node, so that the node authorizer and NodeRestriction judge its requests. */
function actingAs(transport: KubeTransport, nodeName: string): KubeTransport {
  const identity = { 'impersonate-user': `system:node:${nodeName}`, 'impersonate-group': 'system:nodes' };
  return {
    ...transport,
    send: (request) => transport.send({ ...request, headers: { ...request.headers, ...identity } }),
  };
}
