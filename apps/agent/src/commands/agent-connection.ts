import type { IncomingMessage } from 'node:http';
import { httpModule } from '@rxlet/component-base/http-module';
import type { NotUpgradedError, StreamAddress } from '@rxlet/streaming/client';
import { splitLines } from './split-lines.ts';

/** The running agent did not answer as expected. The message names the way out. */
export class AgentConnectionError extends Error {
  override readonly name = 'AgentConnectionError';
  /** HTTP status of the agent's answer, if it was one. */
  readonly status: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = options.status;
  }
}

/** Endpoints of a running agent, over its socket. All failures are {@link AgentConnectionError}s. */
export interface AgentConnection {
  /** GETs a JSON document. */
  getJson(path: string, signal?: AbortSignal): Promise<unknown>;
  /** GETs a body piece by piece until it ends or `signal` aborts. */
  stream(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** GETs lines of JSON until they end or `signal` aborts. */
  streamJson(path: string, signal?: AbortSignal): AsyncIterable<unknown>;
  /** POSTs nothing, and yields the answer's body piece by piece. */
  post(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns the address of an endpoint for streams. */
  streamAddress(path: string): StreamAddress;
  /** Returns the error for a stream that could not be opened. */
  explainRejection(error: unknown): Promise<Error>;
}

/** Creates the connection to the agent whose socket is at `socketPath`. Each call opens and closes a connection of its own. */
export function connectToAgent(socketPath: string): AgentConnection {
  const open = (method: string, path: string, signal?: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const call = httpModule.request(
        { socketPath, method, path, agent: false, ...(signal !== undefined && { signal }) },
        resolve,
      );
      call.once('error', reject);
      call.end();
    });
  /** Yields the chunks of a body. The body of an answer other than 200 is the message of the error. */
  async function* get(path: string, signal?: AbortSignal, method = 'GET'): AsyncGenerator<Uint8Array, void> {
    try {
      const response = await open(method, path, signal);
      if (response.statusCode !== 200) {
        const text = (await readText(response)).trim();
        const { statusCode: status = 0 } = response;
        throw new AgentConnectionError(text || `the agent answers ${path} with status ${String(status)}`, { status });
      }
      yield* response as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw error instanceof AgentConnectionError ? error : explain(error as NodeJS.ErrnoException, socketPath);
    }
  }
  /** Like `get`, but ends without an error when the signal aborts. */
  async function* stream(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
    try {
      yield* get(path, signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw new AgentConnectionError(notAnAgent(socketPath));
    }
  };
  return {
    getJson: async (path, signal) => parse(await readText(get(path, signal))),
    stream,
    async *streamJson(path, signal) {
      for await (const line of splitLines(stream(path, signal))) yield parse(line);
    },
    post: (path, signal) => get(path, signal, 'POST'),
    streamAddress: (path) => ({ url: `http://localhost${path}`, socketPath }),
    async explainRejection(error) {
      if (error instanceof Error && error.name === 'NotUpgradedError') {
        const { answer } = error as NotUpgradedError;
        const text = (await readText(answer as AsyncIterable<Uint8Array>)).trim();
        return new AgentConnectionError(`unable to upgrade connection: ${text || error.message}`, { cause: error });
      }
      const { cause } = error as Error;
      return explain((cause ?? error) as NodeJS.ErrnoException, socketPath);
    },
  };
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

function explain(error: NodeJS.ErrnoException, socketPath: string): AgentConnectionError {
  return new AgentConnectionError(explanation(error, socketPath), { cause: error });
}

function explanation({ code, message }: NodeJS.ErrnoException, socketPath: string): string {
  // Codes of Node's HTTP parser.
  if (code?.startsWith('HPE_')) return notAnAgent(socketPath);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
      return `no agent answers at ${socketPath}: is rxlet running, and is --root-dir (or RXLET_ROOT) the folder it runs with?`;
    case 'EACCES':
    case 'EPERM':
      return `the socket ${socketPath} is closed to you: use the account that rxlet runs under`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `the agent at ${socketPath} went away before its answer was complete`;
    case 'ABORT_ERR':
      return 'interrupted';
    default:
      return `cannot connect to the agent at ${socketPath}: ${message}`;
  }
}

function notAnAgent(socketPath: string): string {
  return `what answers at ${socketPath} is not rxlet: is --root-dir the folder it runs with?`;
}
