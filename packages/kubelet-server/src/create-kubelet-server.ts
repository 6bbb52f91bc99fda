import { noopLogger } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { listenOnUnixSocket } from '@rxlet/component-base/unix-socket';
import { localRoutes } from './endpoints/local-routes.ts';
import { createListener, type Listener } from './listeners/serve.ts';
import type { KubeletServerPorts } from './ports.ts';

/** Options of {@link createKubeletServer}. */
export interface KubeletServerOptions {
  /** Path of the unix socket, which only its owner may open. Its directory must exist. */
  readonly socketPath: string;
  readonly nodeName: string;
  /** Number of requests that are served at the same time, and of connections without one. Further requests are answered with status 503, idle connections closed. Default: 256. */
  readonly maxRequests?: number;
}

/** The kubelet's endpoints over HTTP on a unix socket. Disposing of it removes the socket and closes all connections. */
export interface KubeletServer extends Listener {
  /**
   * Begins to listen. Further calls have the result of the first.
   * @throws UnixSocketError when it cannot
   */
  start(): Promise<void>;
}

/**
 * Creates a server of the kubelet's endpoints for the owner of the agent, who may use all of them, and of more:
 *
 * - `/pods?watch=true`: watch events as lines of JSON, existing pods first, whose end `sendInitialEvents=true` marks
 * - `/events`: a v1 EventList; `?watch=true` likewise
 * - `/healthz`: with the reasons of failures
 * - `/debug/state`: internal state, as JSON
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createEventLog } from '@rxlet/component-base/events';
 * import { createKubeletServer } from '@rxlet/kubelet-server';
 * import { NEVER } from 'rxjs';
 *
 * await using server = createKubeletServer(
 *   {
 *     clock: systemClock,
 *     pods: { list: () => [{ metadata: { name: 'web' } }], changes$: NEVER },
 *     events: createEventLog(systemClock),
 *     healthChecks: [{ name: 'ping', check: () => undefined }],
 *     metrics: async () => ({ contentType: 'text/plain', text: 'up 1\n' }),
 *   },
 *   { socketPath: '/run/agent.sock', nodeName: 'node1' },
 * );
 * await server.start();
 * ```
 */
export function createKubeletServer(ports: KubeletServerPorts, options: KubeletServerOptions): KubeletServer {
  const { clock, logger = noopLogger } = ports;
  const { nodeName, socketPath, maxRequests = 256 } = options;
  return createListener(
    { clock, logger },
    { routes: localRoutes(ports, nodeName) },
    { maxRequests, maxIdle: maxRequests },
    httpModule.createServer,
    async (server, lifetime) => {
      const socket = await listenOnUnixSocket(server, socketPath);
      // Released before the server is closed: the next agent replaces a socket that does not answer, and this would then remove the next agent's socket.
      lifetime.defer(async () => {
        await socket[Symbol.asyncDispose]();
      });
    },
  );
}
