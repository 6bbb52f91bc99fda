import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createLifetime, noopLogger } from '@rxlet/component-base';
import { createServerHandler, type ServerHandlerPorts } from '@rxlet/kubelet-server/routes';

/** A request of a client. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on a socket of its own. */
export interface LocalServer extends AsyncDisposable {
  send(request: ClientRequest): Promise<WholeAnswer>;
}

/** Starts a {@link LocalServer}. */
export async function startLocalServer(ports: Pick<ServerHandlerPorts, 'routes' | 'access'>): Promise<LocalServer> {
  const folder = await mkdtempDisposable('/tmp/rxlet-parity-');
  const lifetime = createLifetime();
  const handler = createServerHandler({ ...ports, logger: noopLogger, lifetime });
  const server = createServer(handler.options, handler.onRequest);
  server.on('upgrade', handler.onUpgrade);
  const socketPath = `${folder.path}/s`;
  await once(server.listen(socketPath), 'listening');
  return {
    async send({ method, path, headers, body: sent }) {
      const call = request({ socketPath, path, method, headers: { ...headers }, agent: false });
      call.end(sent);
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      let body = '';
      for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await lifetime[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const COMPARED = [
  'content-type',
  'x-content-type-options',
  'allow',
  'location',
  'warning',
  'x-go-pprof',
  'content-encoding',
];

/** Returns the headers that are compared. */
export function comparedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    COMPARED.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    }),
  );
}
