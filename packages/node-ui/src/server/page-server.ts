import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, createLifetime, errorMessage, type Logger, noopLogger, type Random } from '@rxlet/component-base';
import { browserRequestProblem } from '@rxlet/component-base/http';
import { httpModule } from '@rxlet/component-base/http-module';
import type { PageFiles } from '../files/page-files.ts';
import { sendPageFile } from '../files/send-page-file.ts';
import { COMMAND_PROTOCOL, isExec, isReadable, proxyCommand, proxyRequest, rejectUpgrade } from './agent-proxy.ts';
import { createPageSession } from './page-session.ts';
import { readJsonBody } from './read-json-body.ts';
import { sendJson, sendText } from './send-text.ts';

/** Address that only this machine reaches. */
const HOST = '127.0.0.1';
/** Header field of the token that the page keeps. */
export const TOKEN_HEADER = 'x-rxlet-token';
/** Prefix of the WebSocket subprotocol that carries a ticket: a WebSocket of a page has no header fields of its own. */
export const TICKET_PROTOCOL = 'rxlet.ticket.';
/** Far more than the connections of one browser. */
const MAX_CONNECTIONS = 64;
const HEADERS_TIMEOUT_MS = 10_000;

/** Ports of {@link createPageServer}. */
export interface PageServerPorts {
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
}

/** Options of {@link createPageServer}. */
export interface PageServerOptions {
  /** Socket of the agent. */
  readonly socketPath: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Whether the page may run commands in containers. Default: no. */
  readonly allowsExec?: boolean;
}

/** Serves the page to the owner of an agent. Disposing of it closes all connections. */
export interface PageServer extends AsyncDisposable {
  /**
   * Begins to listen.
   * @returns the address that opens the page, in one browser
   * @throws Error when it cannot listen
   */
  start(): Promise<string>;
}

/**
 * Creates a {@link PageServer} on 127.0.0.1. It passes requests for data on to the agent's socket for the browser that has opened the page with the secret of its
 * address, and for no other one: every request needs the exact host and origin of the server, and every request for data a session besides (see `PageSession`).
 */
export function createPageServer(ports: PageServerPorts, options: PageServerOptions): PageServer {
  const { files, clock, random, logger = noopLogger } = ports;
  const { socketPath, port = 0, allowsExec = false } = options;
  const lifetime = createLifetime();
  const session = createPageSession(random, () => clock.monotonicNow());
  /** Hosts that requests may name, and so the origins of the page. Known once the server listens. */
  let hosts: readonly string[] = [];

  /** Returns why a request is rejected with any session. */
  const problemOf = ({ method = '', headers, rawHeaders }: IncomingMessage): Problem | undefined => {
    const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    // A page of another name whose address becomes 127.0.0.1 (DNS rebinding) names itself here.
    if (names.length !== 1 || headers.host === undefined || !hosts.includes(headers.host))
      return { status: 421, text: 'the request is for another host\n' };
    const problem = browserRequestProblem({ method, headers }, [`http://${headers.host}`]);
    return problem === undefined ? undefined : { status: 403, text: `${problem}\n` };
  };
  const hasCookie = ({ headers }: IncomingMessage): boolean =>
    session.isCookie(cookieOf(headers.cookie, cookieName(server)));
  const hasSession = (message: IncomingMessage): boolean => {
    const token = message.headers[TOKEN_HEADER];
    return hasCookie(message) && typeof token === 'string' && session.isToken(token);
  };

  const openSession = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readJsonBody(message);
    const opened = isRecord(body) && typeof body['secret'] === 'string' ? session.open(body['secret']) : undefined;
    if (opened === undefined) {
      logger.warn('a browser was rejected: the secret of its address is wrong or was used before');
      return sendText(response, 403, 'the address of this page was used before\n');
    }
    const cookie = `${cookieName(server)}=${opened.cookie}; HttpOnly; SameSite=Strict; Path=/`;
    sendJson(response, { token: opened.token, allowsExec }, { 'set-cookie': cookie });
  };
  const post = async (path: string, message: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A form or an image of another page cannot send this type, nor a script without being asked for its origin.
    if (message.headers['content-type'] !== 'application/json')
      return sendText(response, 415, 'the body must be application/json\n');
    if (message.headers.origin === undefined) return sendText(response, 403, 'the origin is missing\n');
    if (path === '/ui/session') return openSession(message, response);
    if (!hasSession(message)) return sendText(response, 401, NO_SESSION);
    if (path === '/ui/ticket' && allowsExec) return sendJson(response, { ticket: session.issueTicket() });
    sendText(response, 404, 'not found\n');
  };
  const get = async (path: string, message: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (path === '/') return sendText(response, 302, '', { location: '/ui/' });
    const file = path.startsWith('/ui/') ? await files.find(path.slice('/ui/'.length) || 'index.html') : undefined;
    if (file !== undefined) return sendPageFile(message, response, file, { allowsStyleAttributes: allowsExec });
    if (path === '/ui/session')
      return hasSession(message) ? sendJson(response, { allowsExec }) : sendText(response, 401, NO_SESSION);
    if (!isReadable(path)) return sendText(response, 404, 'not found\n');
    if (!hasSession(message)) return sendText(response, 401, NO_SESSION);
    if (message.method === 'HEAD') return sendText(response, 405, 'method not allowed\n');
    await proxyRequest(socketPath, message.url!, message, response);
  };
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const problem = problemOf(message);
      if (problem !== undefined) return sendText(response, problem.status, problem.text);
      const path = (message.url ?? '').split('?', 1)[0]!;
      if (message.method === 'GET' || message.method === 'HEAD') return await get(path, message, response);
      if (message.method === 'POST') return await post(path, message, response);
      sendText(response, 405, 'method not allowed\n', { allow: 'GET, HEAD, POST' });
    } catch (error) {
      logger.error('a request of the page could not be answered', { error: errorMessage(error) });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'the request could not be answered\n');
    }
  };
  /** Connections of terminals, and of rejected requests for one. The HTTP server does not close them. */
  const upgraded = new Set<Duplex>();
  const upgrade = (message: IncomingMessage, connection: Duplex, head: Buffer): void => {
    // A broken connection: `close` follows.
    connection.on('error', () => undefined);
    upgraded.add(connection);
    connection.once('close', () => upgraded.delete(connection));
    const path = (message.url ?? '').split('?', 1)[0]!;
    const problem = problemOf(message);
    const reject = (status: number, text: string): void => rejectUpgrade(connection, status, text);
    if (problem !== undefined) return reject(problem.status, problem.text);
    if (message.headers.origin === undefined) return reject(403, 'the origin is missing\n');
    if (!allowsExec || !isExec(path)) return reject(404, 'not found\n');
    const protocols = (message.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const ticket = protocols.find((name) => name.startsWith(TICKET_PROTOCOL))?.slice(TICKET_PROTOCOL.length);
    if (!hasCookie(message) || ticket === undefined || !session.useTicket(ticket)) return reject(401, NO_SESSION);
    if (!protocols.includes(COMMAND_PROTOCOL)) return reject(400, 'the protocol of commands is missing\n');
    proxyCommand(socketPath, message.url!, message, connection, head);
  };

  const server: Server = httpModule.createServer({ headersTimeout: HEADERS_TIMEOUT_MS, keepAlive: true });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (message, response) => void lifetime.track(serve(message, response)));
  server.on('upgrade', upgrade);
  return {
    async start() {
      lifetime.defer(() => closeServer(server));
      await listen(server, port);
      const { port: actual } = server.address() as AddressInfo;
      hosts = [`${HOST}:${String(actual)}`, `localhost:${String(actual)}`];
      return `http://${hosts[0]!}/ui/#secret=${session.secret}`;
    },
    [Symbol.asyncDispose]: async () => {
      // Streams end with their connections, which the requests wait for.
      server.closeAllConnections();
      for (const connection of upgraded) connection.destroy();
      await lifetime[Symbol.asyncDispose]();
    },
  };
}

/** Why a request is rejected. */
interface Problem {
  readonly status: number;
  readonly text: string;
}

const NO_SESSION = 'no session: open the page with the address that "rxlet ui" prints\n';

/** Cookies belong to a host with all its ports: servers on several ports need different names. */
function cookieName(server: Server): string {
  return `rxlet-ui-${String((server.address() as AddressInfo | null)?.port)}`;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new Error(`cannot serve the page on ${HOST} port ${String(port)}: ${errorMessage(error)}`, { cause: error }),
      ),
    );
    server.listen({ host: HOST, port }, resolve);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
