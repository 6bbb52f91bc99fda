import { type IncomingMessage, request } from 'node:http';
import { splitLines } from './split-lines.ts';

/** The running agent did not answer as hoped. The message says what to do. */
export class AgentConnectionError extends Error {
  override readonly name = 'AgentConnectionError';
}

/** The endpoints of a running agent, over its socket. Whatever goes wrong is an {@link AgentConnectionError}. */
export interface AgentConnection {
  /** GETs a JSON document. */
  getJson(path: string, signal?: AbortSignal): Promise<unknown>;
  /** GETs a body piece by piece until it ends or `signal` aborts. */
  stream(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** GETs lines of JSON until they end or `signal` aborts. */
  streamJson(path: string, signal?: AbortSignal): AsyncIterable<unknown>;
}

/** Talks to the agent whose socket is at `socketPath`, a connection for each call. Nothing is opened before the first one. */
export function connectToAgent(socketPath: string): AgentConnection {
  const open = (path: string, signal?: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const call = request({ socketPath, path, agent: false, ...(signal !== undefined && { signal }) }, resolve);
      call.once('error', reject);
      call.end();
    });
  /** The pieces of a body; that of an answer which is none is the error. */
  async function* get(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
    try {
      const response = await open(path, signal);
      if (response.statusCode !== 200) {
        const text = (await readText(response)).trim();
        throw new AgentConnectionError(text || `the agent answers ${path} with status ${String(response.statusCode)}`);
      }
      yield* response as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw error instanceof AgentConnectionError ? error : explain(error as NodeJS.ErrnoException, socketPath);
    }
  }
  /** The same, but ending quietly when it was told to end. */
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
  // The parser of HTTP names what it cannot read so.
  if (code?.startsWith('HPE_')) return notAnAgent(socketPath);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
      return `no agent answers at ${socketPath}: is rxlet running, and is --root-dir the folder it runs with?`;
    case 'EACCES':
    case 'EPERM':
      return `the socket ${socketPath} is closed to you: use the account that rxlet runs under`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `the agent at ${socketPath} went away before its answer was complete`;
    case 'ABORT_ERR':
      return 'interrupted';
    default:
      return `the agent at ${socketPath} cannot be asked: ${message}`;
  }
}

function notAnAgent(socketPath: string): string {
  return `what answers at ${socketPath} is not rxlet: is --root-dir the folder it runs with?`;
}
