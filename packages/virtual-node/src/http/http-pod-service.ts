import type { IncomingMessage, RequestOptions } from 'node:http';
import { abortable, type Clock, errorMessage, onAbort } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { ProviderError, type ProviderErrorReason } from '../provider-error.ts';

/** A request to the service. */
export interface ServiceRequest {
  readonly method: 'DELETE' | 'GET' | 'PUT';
  /** Path below that of the service, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether the answer may pause for any time once it has begun. Default: no. */
  readonly mayPause?: boolean;
  readonly signal: AbortSignal;
}

/** Ports and options of {@link requestService}. */
export interface ServiceAccess {
  readonly clock: Clock;
  /** URL of the service, without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Time without a byte after which the connection counts as lost. */
  readonly idleTimeoutMs: number;
}

/** Limit of the text of an error. */
const MAX_ERROR_BYTES = 64 * 1024;
const REASONS: readonly ProviderErrorReason[] = ['NotFound', 'Rejected', 'Unavailable'];

/** Sends a request, and returns the chunks of a successful answer. @throws ProviderError with the reason of the service; `Unavailable` for every other failure */
export async function* requestService(
  { clock, url, headers, idleTimeoutMs }: ServiceAccess,
  { method, path, body, mayPause = false, signal }: ServiceRequest,
): AsyncGenerator<Uint8Array> {
  const controller = new AbortController();
  using _listener = onAbort(signal, (reason) => controller.abort(reason));
  let timer = clock.setTimer(0, () => undefined);
  const restartTimer = (): void => {
    timer[Symbol.dispose]();
    const message = `the service has sent nothing for ${String(idleTimeoutMs / 1000)} s`;
    timer = clock.setTimer(idleTimeoutMs, () => controller.abort(new ProviderError('Unavailable', message)));
  };
  try {
    restartTimer();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const content = text === undefined ? {} : { 'content-type': 'application/json' };
    const options: RequestOptions = { method, headers: { ...headers, ...content }, signal: controller.signal };
    const response = await send(new URL(url + path), options, text);
    restartTimer();
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) throw await errorOf(response, statusCode);
    if (mayPause) timer[Symbol.dispose]();
    for await (const chunk of response) {
      // The time that the reader takes is not the service's.
      timer[Symbol.dispose]();
      yield chunk as Uint8Array;
      if (!mayPause) restartTimer();
    }
    if (!response.complete) throw new ProviderError('Unavailable', 'the connection to the service was lost');
  } catch (error) {
    signal.throwIfAborted();
    const cause = controller.signal.aborted ? (controller.signal.reason as Error) : error;
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError('Unavailable', `cannot reach the service: ${errorMessage(cause)}`, { cause });
  } finally {
    timer[Symbol.dispose]();
    controller.abort(new Error('the request has ended'));
  }
}

function send(url: URL, options: RequestOptions, text: string | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = url.protocol === 'https:' ? process.getBuiltinModule('node:https') : httpModule;
  const outgoing = request(url, options, resolve);
  outgoing.on('error', reject);
  outgoing.end(text);
  return abortable(promise, options.signal);
}

/** Returns the error of an answer. Only the service itself knows that a pod does not exist: a 404 of a proxy is no such answer, so the status alone says nothing. */
async function errorOf(response: IncomingMessage, statusCode: number): Promise<ProviderError> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ERROR_BYTES) break;
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString();
  const { reason, message } = parseError(text);
  const known = REASONS.find((one) => one === reason);
  return new ProviderError(known ?? 'Unavailable', message ?? `the service answered ${String(statusCode)}: ${text}`);
}

function parseError(text: string): { readonly reason?: unknown; readonly message?: string } {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return {};
    const { reason, message } = parsed as { reason?: unknown; message?: unknown };
    return { reason, ...(typeof message === 'string' && { message }) };
  } catch {
    return {};
  }
}
