import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, createLifetime, errorMessage, noopLogger } from '@rxlet/component-base';
import { listenOnUnixSocket } from '@rxlet/component-base/unix-socket';
import { sendText } from './answer.ts';
import { createEndpoints } from './endpoints.ts';
import type { KubeletServerPorts } from './ports.ts';
import { RequestError } from './request-error.ts';
import { parseTarget } from './request-target.ts';

/** Options of {@link createKubeletServer}. */
export interface KubeletServerOptions {
  /** Where to listen: a unix socket that only its owner may open. Its folder has to exist. */
  readonly socketPath: string;
  readonly nodeName: string;
  /** How many connections may be open; further ones are closed at once. Default: 256. */
  readonly maxConnections?: number;
}

/** The kubelet's read endpoints over HTTP on a unix socket. Disposing of it removes the socket and closes all connections. */
export interface KubeletServer extends AsyncDisposable {
  /**
   * Begins to listen. Further calls have the result of the first.
   * @throws UnixSocketError when it cannot
   */
  start(): Promise<void>;
}

/**
 * Creates a server of these endpoints, to be read with GET or, all but the logs, HEAD:
 *
 * - `/pods`: a v1 PodList with current statuses; with `?watch=true`, watch events as lines of JSON, existing pods first, whose end
 *   `sendInitialEvents=true` marks
 * - `/events`: a v1 EventList; `?watch=true` likewise
 * - `/containerLogs/{namespace}/{pod}/{container}`: the log as text; parameters follow, previous, timestamps, tailLines, limitBytes, sinceSeconds,
 *   sinceTime
 * - `/healthz` and `/healthz/{check}`: `ok`, or status 500 and what is wrong
 * - `/metrics`: Prometheus text format
 * - `/debug/state`: what goes on inside, as JSON
 */
export function createKubeletServer(
  ports: KubeletServerPorts & { readonly clock: Clock },
  options: KubeletServerOptions,
): KubeletServer {
  const { clock, logger = noopLogger } = ports;
  const { nodeName, socketPath, maxConnections = 256 } = options;
  const lifetime = createLifetime();
  const endpoints = createEndpoints(ports, { clock, nodeName, signal: lifetime.signal });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Nobody reads the body; left alone, a long one would hide that the reader goes away.
    request.resume();
    try {
      const target = parseTarget(request.url ?? '/');
      const endpoint = endpoints.get(target.endpoint);
      if (endpoint === undefined || target.rest.length > endpoint.maxRest) {
        throw new RequestError(404, `there is no endpoint ${request.url ?? '/'}`);
      }
      if (!endpoint.methods.includes(request.method ?? '')) {
        const message = `/${target.endpoint} can only be read: use GET`;
        throw new RequestError(405, message, { allow: endpoint.methods.join(', ') });
      }
      await endpoint.handle(target, response);
    } catch (error) {
      answerError(request, response, error);
    }
  };

  const answerError = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const isGone = response.destroyed || lifetime.signal.aborted;
    if (!isGone && error instanceof RequestError && !response.headersSent) {
      sendText(response, error.status, `${error.message}\n`, error.headers);
      return;
    }
    if (!isGone) {
      logger.error('a request could not be answered', { request: request.url, error: errorMessage(error) });
      if (!response.headersSent) {
        sendText(response, 500, `${errorMessage(error)}\n`);
        return;
      }
    }
    // An answer that has begun can only be broken off, which tells the reader that it is not whole.
    response.destroy();
  };

  const server = createServer((request, response) => void lifetime.track(answer(request, response)));
  server.maxConnections = maxConnections;
  server.on('drop', () => logger.warn('a connection was refused, there are too many', { maxConnections }));

  const listen = async (): Promise<void> => {
    lifetime.signal.throwIfAborted();
    const socket = await listenOnUnixSocket(server, socketPath);
    server.on('error', (error) => logger.error('a connection could not be accepted', { error: errorMessage(error) }));
    lifetime.defer(() => closeServer(server));
    // Released first: a socket that has stopped to answer is taken for a dead one and replaced, and then it would be the next agent's that we remove.
    lifetime.defer(async () => {
      await socket[Symbol.asyncDispose]();
    });
  };
  let started: Promise<void> | undefined;
  return {
    start: () => (started ??= lifetime.track(listen())),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
