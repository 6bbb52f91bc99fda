import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { type Clock, withDeadline } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { DockerError, DockerUnavailableError } from './docker-error.ts';
import { type DockerVersion, negotiateVersion } from './docker-version.ts';

/** A request besides its method and path. */
export interface EngineRequest {
  /** Parameters; unset ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Deadline of {@link DockerEngine.json}, in milliseconds. Default: two minutes. */
  readonly timeoutMs?: number;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Client of the Docker Engine API. Calls reject with DockerError or DockerUnavailableError. */
export interface DockerEngine extends AsyncDisposable {
  /** Path of Docker's socket. */
  readonly socketPath: string;
  /** Returns the version of Docker, from Docker itself. */
  version(signal?: AbortSignal): Promise<DockerVersion>;
  /** Returns a JSON answer; `undefined` when the answer is empty. */
  json<T>(method: Method, path: string, request?: EngineRequest): Promise<T>;
  /** Returns the body of an answer as it arrives. The caller must destroy it; the signal does so, too. */
  stream(method: Method, path: string, request?: EngineRequest): Promise<Readable>;
  /** Upgrades a connection to a stream of bytes in both directions. The caller must destroy it. */
  hijack(path: string, request?: EngineRequest): Promise<Duplex>;
}

const CALL_TIMEOUT_MS = 120_000;
const MAX_FREE_SOCKETS = 16;
/** Largest JSON answer. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Creates a {@link DockerEngine}. It connects with the first call, and negotiates the version of the API then. */
export function createDockerEngine(socketPath: string, clock: Clock): DockerEngine {
  const agent = new httpModule.Agent({ keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS });
  let negotiated: Promise<string> | undefined;

  const send = (method: Method, path: string, request: EngineRequest, more: RequestOptions = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingMessage; socket?: Duplex }>();
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const outgoing = httpModule.request({
      socketPath,
      agent,
      method,
      path: path + formatQuery(request.query),
      signal: request.signal,
      ...more,
      headers: {
        host: 'docker',
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...request.headers,
        ...more.headers,
      },
    });
    outgoing.once('response', (response) => resolve({ response }));
    outgoing.once('upgrade', (response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ response, socket });
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      // Another version of Docker may answer next.
      negotiated = undefined;
      reject(
        request.signal?.aborted === true
          ? (request.signal.reason as Error)
          : new DockerUnavailableError(socketPath, error),
      );
    });
    // A daemon that waits for the end of a body would otherwise wait for ever.
    outgoing.end(body ?? (method === 'POST' ? '' : undefined));
    return promise;
  };
  const readAnswer = async (response: Readable): Promise<string> => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_ANSWER_BYTES) throw new Error(`an answer exceeds ${String(MAX_ANSWER_BYTES)} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw new DockerUnavailableError(socketPath, error);
    }
    return Buffer.concat(chunks).toString('utf8');
  };
  const checkStatus = async (response: IncomingMessage): Promise<void> => {
    const { statusCode: status = 0 } = response;
    // 304: the container already is in the requested state.
    if ((status >= 200 && status < 300) || status === 304) return;
    throw new DockerError(status, messageOf(await readAnswer(response), status));
  };
  const readVersion = async (signal?: AbortSignal): Promise<DockerVersion> =>
    withDeadline(clock, CALL_TIMEOUT_MS, signal, async (deadline) => {
      const { response } = await send('GET', '/version', { signal: deadline });
      await checkStatus(response);
      return JSON.parse(await readAnswer(response)) as DockerVersion;
    });
  const withVersion = async (path: string): Promise<string> => {
    // Without the caller's signal, since callers share it.
    negotiated ??= readVersion().then(negotiateVersion);
    const pending = negotiated;
    try {
      return `/v${await pending}${path}`;
    } catch (error) {
      if (negotiated === pending) negotiated = undefined;
      throw error;
    }
  };

  return {
    socketPath,
    version: readVersion,
    async json<T>(method: Method, path: string, request: EngineRequest = {}) {
      const fullPath = await withVersion(path);
      const { timeoutMs = CALL_TIMEOUT_MS } = request;
      return withDeadline(clock, timeoutMs, request.signal, async (signal) => {
        const { response } = await send(method, fullPath, { ...request, signal });
        await checkStatus(response);
        const text = await readAnswer(response);
        return (text.trim() === '' ? undefined : JSON.parse(text)) as T;
      });
    },
    async stream(method, path, request = {}) {
      const { response } = await send(method, await withVersion(path), request);
      await checkStatus(response);
      // Errors reach the reader; without one they must not end the process.
      response.on('error', () => undefined);
      return response;
    },
    async hijack(path, request = {}) {
      const upgrade = { agent: false as const, headers: { connection: 'Upgrade', upgrade: 'tcp' } };
      const { response, socket } = await send('POST', await withVersion(path), request, upgrade);
      if (socket === undefined) {
        await checkStatus(response);
        response.destroy();
        throw new DockerError(response.statusCode ?? 0, 'Docker did not upgrade the connection');
      }
      socket.on('error', () => undefined);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };
}

function formatQuery(query: EngineRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  );
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, value])).toString()}`;
}

function messageOf(text: string, status: number): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Not JSON: a proxy, or a broken answer.
  }
  return text.trim() || `Docker answered with status ${String(status)}`;
}
