import type { AgentModule } from '@rxlet/agent-api';
import { createLifetime } from '@rxlet/component-base';
import { createKubeletServer, type KubeletServerOptions } from './create-kubelet-server.ts';
import { servedCollections, type ServerContent, serverPorts } from './server-content.ts';

/** Options of {@link localSocket}. */
export interface LocalSocketOptions extends Omit<KubeletServerOptions, 'nodeName'>, ServerContent {}

/**
 * Creates the agent module that serves the kubelet's endpoints over HTTP on a unix socket for the owner of the agent, with watches, events, debug state and the endpoints of
 * other modules.
 */
export function localSocket(options: LocalSocketOptions): AgentModule {
  return {
    name: 'local-socket',
    collects: servedCollections,
    setup(context) {
      const lifetime = createLifetime();
      return {
        async start() {
          const server = createKubeletServer(serverPorts(context, options), {
            ...options,
            nodeName: context.node.name,
          });
          lifetime.defer(async () => server[Symbol.asyncDispose]());
          await server.start();
        },
        [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}
