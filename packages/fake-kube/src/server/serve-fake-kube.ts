import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createLifetime, drained, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { User } from '../auth/user.ts';
import type { FakeKube } from '../fake-kube.ts';
import type { UpgradeConnection } from '../node-proxy/node-connections.ts';
import { isTrue } from '../request/parse-request.ts';
import { decodeObject, PROTOBUF_TYPE } from '../wire/decode-object.ts';
import type { ApiRequest } from './api-message.ts';
import { writeKubeconfig } from './kubeconfig.ts';

/** Options of {@link serveFakeKube}. */
export interface ServeFakeKubeOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Further names and addresses in the server's certificate. */
  readonly names?: readonly string[];
  readonly logger?: Logger;
}

/** A server on the network. */
export interface FakeKubeServer extends AsyncDisposable {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Certificate of the authority, as PEM. */
  readonly caPem: string;
  /** Returns the number of open connections. */
  connections(): number;
  /** Breaks all connections; clients may connect again. */
  dropConnections(): void;
  /** Returns a kubeconfig file (YAML) for a user, with a client certificate of its own. */
  kubeconfig(user: User): Promise<string>;
  /** Returns a kubeconfig file (YAML) with a bearer token. */
  tokenKubeconfig(name: string, token: string): string;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** Largest body that is read; as a real server's. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Answers above this size are compressed, for clients that accept that; as a real server's. */
const COMPRESSED_BYTES = 128 * 1024;
/** Lifetime of the server's certificate and of those in kubeconfigs. */
const YEAR_MS = 365 * 86_400_000;

/** Serves a {@link FakeKube} over HTTPS, with HTTP/2 and HTTP/1.1. */
export async function serveFakeKube(
  kube: FakeKube,
  { host = '127.0.0.1', port = 0, names = [], logger = noopLogger }: ServeFakeKubeOptions = {},
): Promise<FakeKubeServer> {
  const lifetime = createLifetime();
  const authority = await kube.authority();
  const sockets = new Set<Socket>();
  const listener = (request: Request, response: Response): void => {
    serveRequest(kube, request, response).catch((error: unknown) => {
      logger.debug('a request ended', { path: request.url, error: errorMessage(error) });
      dropConnection(request, kube.isRunning);
    });
  };
  const hosts = [...new Set([host, 'localhost', '127.0.0.1', ...names])];
  const serving = await authority.issue({
    commonName: 'fake-kube',
    hosts,
    usages: ['server auth'],
    lifetimeMs: YEAR_MS,
  });
  const server = createSecureServer(
    {
      cert: serving.certificatePem,
      key: serving.keyPem,
      ca: authority.certificatePem,
      // A wrong client certificate is no reason to end the handshake: its user is just not known.
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
    },
    listener,
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    upgradeRequest(kube, request, { socket, head, rawHeaders: request.rawHeaders }).catch((error: unknown) => {
      logger.debug('a request for an upgrade ended', { path: request.url, error: errorMessage(error) });
      socket.destroy();
    });
  });
  server.on('connection', (socket: Socket) => {
    if (!kube.isRunning) socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Broken connections end their requests, which report it.
    socket.on('error', () => undefined);
  });

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  const address = server.address() as AddressInfo;
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${String(address.port)}`;
  lifetime.defer(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const caPem = authority.certificatePem;
  return {
    url,
    caPem,
    connections: () => sockets.size,
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async kubeconfig(user) {
      const { name: commonName, groups: organizations } = user;
      const pair = await authority.issue({ commonName, organizations, usages: ['client auth'], lifetimeMs: YEAR_MS });
      return writeKubeconfig({ server: url, caPem, user: { name: commonName, ...pair } });
    },
    tokenKubeconfig: (name, token) => writeKubeconfig({ server: url, caPem, user: { name, token } }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

async function serveRequest(kube: FakeKube, request: Request, response: Response): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { body, headers } = readObject(await readBody(request), request.headers as ApiRequest['headers']);
  const answer = await kube.handle({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers,
    body,
    ...identityOf(request),
    signal: gone.signal,
  });
  const stream = response as ServerResponse;
  if (!isStreamed(request)) {
    const whole = await readAll(answer.body);
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const isCompressed = whole.length > COMPRESSED_BYTES && /\bgzip\b/.test(accepted);
    stream.writeHead(answer.status, { ...answer.headers, ...(isCompressed && { 'content-encoding': 'gzip' }) });
    stream.end(isCompressed ? gzipSync(whole) : whole);
    return;
  }
  stream.writeHead(answer.status, answer.headers);
  stream.flushHeaders?.();
  for await (const chunk of answer.body) {
    if (gone.signal.aborted) return;
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

async function upgradeRequest(kube: FakeKube, request: IncomingMessage, connection: UpgradeConnection): Promise<void> {
  const { method = 'GET', url: path = '/' } = request;
  const headers = request.headers as ApiRequest['headers'];
  const answer = await kube.upgrade({ method, path, headers, ...identityOf(request) }, connection);
  if (answer === undefined) return;
  const body = await readAll(answer.body);
  const { socket } = connection;
  const lines = Object.entries({ ...answer.headers, 'content-length': String(body.length), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${String(answer.status)} \r\n${head}\r\n`);
  socket.end(body);
}

/** Reports whether a request asks for a watch or follows a log: the answer must not be collected first. */
function isStreamed({ url = '' }: Request): boolean {
  const { searchParams } = new URL(url, 'http://server');
  return isTrue(searchParams.get('watch')) || isTrue(searchParams.get('follow'));
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the body as text. An object in Protocol Buffers becomes JSON, if the server can read it. */
function readObject(
  bytes: Buffer | undefined,
  headers: ApiRequest['headers'],
): { readonly body: string | undefined; readonly headers: ApiRequest['headers'] } {
  const isProtobuf = headers['content-type']?.startsWith(PROTOBUF_TYPE) === true;
  const object = bytes !== undefined && isProtobuf ? decodeObject(bytes) : undefined;
  if (object === undefined) return { body: bytes?.toString(), headers };
  return { body: JSON.stringify(object), headers: { ...headers, 'content-type': 'application/json' } };
}

async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new RangeError('the body of the request is too large');
    chunks.push(chunk);
  }
  return chunks.length === 0 ? undefined : Buffer.concat(chunks);
}

/** Returns the user whose certificate the client presented, if the authority issued it and it is valid. */
function identityOf(request: Request): Pick<ApiRequest, 'user' | 'hasInvalidCertificate'> {
  const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
  if (!(socket instanceof TLSSocket)) return {};
  const { subject } = socket.getPeerCertificate();
  if (subject?.CN === undefined) return {};
  if (!socket.authorized) return { hasInvalidCertificate: true };
  const organizations = subject.O as string | readonly string[] | undefined;
  const groups = organizations === undefined ? [] : typeof organizations === 'string' ? [organizations] : organizations;
  return { user: { name: String(subject.CN), groups: [...new Set([...groups, 'system:authenticated'])] } };
}

/** Ends a request without an answer: resets its stream, or breaks the connection if the server is away or has only one request on it. */
function dropConnection(request: Request, isRunning: boolean): void {
  if (!('stream' in request)) request.socket.destroy();
  else if (isRunning) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else request.stream.session?.destroy();
}
