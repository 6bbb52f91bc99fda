import { isKubeError, KubeError } from '@rxlet/kube-api/client';
import { type Clock, DeadlineExceededError, errorMessage, sleep, withDeadline } from '@rxlet/component-base';
import type { KubeTransport, TransportRequest, TransportResponse } from '../transport/kube-transport.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { RequestPacer } from './request-pacer.ts';
import { responseError } from './response-error.ts';
import type { ServerState } from './server-state.ts';

/** A request, before headers and deadline are added. */
export interface KubeRequest {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** Sends requests and reads their answers. */
export interface RequestSender {
  /**
   * Sends a request and returns the JSON of its answer. Repeats it when the API server asks for that (`Retry-After`), and a GET whose connection broke, up to ten times.
   * Rejects with a {@link KubeError} or with the reason of the signal.
   */
  send(request: KubeRequest): Promise<unknown>;
  /** Sends a request once and returns its answer, whose body may last. Rejects as `send`; the deadline ends with the headers. */
  open(request: KubeRequest): Promise<TransportResponse>;
}

/** Options of {@link createRequestSender}. */
export interface RequestSenderOptions {
  readonly userAgent: string;
  /** Deadline of each attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Deadline of all attempts of `send` together, in milliseconds. Default: none. */
  readonly totalTimeoutMs?: number | undefined;
}

const MAX_RETRIES = 10;
const RETRY_BROKEN_GET_MS = 1000;
/** Codes of connections, and of streams on them, that broke after they had been made. */
const BROKEN_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP2_STREAM_ERROR',
  'UND_ERR_INFO',
  'UND_ERR_SOCKET',
]);
/** Far more than the largest list of a node's objects. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_ERROR_BYTES = 1024 * 1024;

/** Creates a {@link RequestSender}. */
export function createRequestSender(
  {
    transport,
    clock,
    pacer,
    state,
    metrics,
  }: {
    readonly transport: KubeTransport;
    readonly clock: Clock;
    readonly pacer: RequestPacer;
    readonly state: ServerState;
    /** Default: none. */
    readonly metrics?: RequestMetrics | undefined;
  },
  { userAgent, timeoutMs, totalTimeoutMs = Infinity }: RequestSenderOptions,
): RequestSender {
  const sendCounted = async (request: TransportRequest): Promise<TransportResponse> => {
    let status: number | undefined;
    try {
      const response = await transport.send(request);
      ({ status } = response);
      return response;
    } finally {
      metrics?.answered(request.method, status);
    }
  };

  /** @param onBody called with the size of the body of an error */
  const exchange = async (
    request: KubeRequest,
    signal: AbortSignal,
    onBody: (bytes: number) => void = () => undefined,
  ): Promise<TransportResponse> => {
    const { method, path, body, contentType } = request;
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
    const response = await sendCounted({ method, path, headers, body, signal });
    if (response.status < 400) return response;
    const text = await readText(response.body, MAX_ERROR_BYTES);
    onBody(Buffer.byteLength(text));
    throw responseError(response.status, text, response.headers['retry-after']);
  };

  const attempt = async <T>(request: KubeRequest, run: () => Promise<T>): Promise<T> => {
    const waitedFromMs = clock.monotonicNow();
    await pacer.wait(request.signal);
    metrics?.waited(request.method, clock.monotonicNow() - waitedFromMs);
    try {
      const result = await run();
      state.requestSucceeded();
      return result;
    } catch (error) {
      const failure = asKubeError(error, request);
      state.requestFailed(failure);
      throw failure;
    }
  };

  const readJson = async ({ status, body }: TransportResponse, onBody: (bytes: number) => void): Promise<unknown> => {
    const text = await readText(body, MAX_BODY_BYTES);
    onBody(Buffer.byteLength(text));
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Reported below, like JSON that is no object.
    }
    throw new KubeError('InvalidResponse', 'the answer is no JSON object', { code: status });
  };

  /** Sends a request once, reads the whole answer, and measures both. */
  const sendOnce = async (request: KubeRequest, signal: AbortSignal): Promise<unknown> => {
    const beganMs = clock.monotonicNow();
    let responseBytes: number | undefined;
    const onBody = (bytes: number): void => void (responseBytes = bytes);
    try {
      return await readJson(await exchange(request, signal, onBody), onBody);
    } finally {
      const durationMs = clock.monotonicNow() - beganMs;
      metrics?.ended(request.method, {
        durationMs,
        requestBytes: Buffer.byteLength(request.body ?? ''),
        responseBytes,
      });
    }
  };

  return {
    async send(request) {
      const endMs = clock.monotonicNow() + totalTimeoutMs;
      const remainingMs = (): number => endMs - clock.monotonicNow();
      for (let retries = 0; ; retries += 1) {
        try {
          return await attempt(request, () =>
            withDeadline(clock, Math.min(timeoutMs, remainingMs()), request.signal, (signal) =>
              sendOnce(request, signal),
            ),
          );
        } catch (error) {
          const pauseMs = retries < MAX_RETRIES ? retryPause(request, error) : undefined;
          if (pauseMs === undefined) throw error;
          const restMs = remainingMs();
          await sleep(clock, Math.min(pauseMs, restMs), request.signal);
          if (pauseMs >= restMs) throw error;
        }
      }
    },
    open: (request) =>
      attempt(request, async () => {
        const deadline = new AbortController();
        const timer = clock.setTimer(timeoutMs, () => deadline.abort(new DeadlineExceededError(timeoutMs)));
        try {
          return await exchange(request, AbortSignal.any([request.signal, deadline.signal]));
        } finally {
          timer[Symbol.dispose]();
        }
      }),
  };
}

/** Returns the pause before a request may be repeated; `undefined` when it must not be. */
function retryPause({ method }: KubeRequest, error: unknown): number | undefined {
  if (!isKubeError(error)) return undefined;
  const { code, retryAfterMs, cause } = error;
  if (code !== undefined) return code === 429 || code >= 500 ? retryAfterMs : undefined;
  // The connection was made, and broke before the answer: reading again changes nothing.
  const isBroken = BROKEN_CODES.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
  return method === 'GET' && error.reason === 'Unreachable' && isBroken ? RETRY_BROKEN_GET_MS : undefined;
}

/** Returns the failure of a request: the caller's own reason when it cancelled, otherwise a {@link KubeError}. */
export function asKubeError(
  error: unknown,
  { method, path, signal }: Pick<KubeRequest, 'method' | 'path' | 'signal'>,
): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof KubeError) return error;
  const [pathname] = path.split('?', 1);
  const isDeadline = error instanceof DeadlineExceededError;
  const message = `cannot ${method} ${pathname!}: ${isDeadline ? error.message : connectionCause(error)}`;
  return new KubeError(isDeadline ? 'DeadlineExceeded' : 'Unreachable', message, { cause: error });
}

/** Describes a broken connection; a name with several addresses fails with one error for each. */
function connectionCause(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  return errorMessage(first ?? error);
}

/** Reads a body of at most `maxBytes` as text. */
async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new KubeError('InvalidResponse', `the answer is larger than ${String(maxBytes)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString();
}
