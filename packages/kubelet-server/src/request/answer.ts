import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { EndpointResponse } from '@rxlet/agent-api/http';

/** Longest time in which a client takes nothing of an answer that is complete. */
const STALLED_MS = 60_000;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Returns an answer with a JSON document. */
export function jsonAnswer(body: unknown): EndpointResponse {
  return { contentType: 'application/json', body: JSON.stringify(body) };
}

/** Returns an answer in the form of Go's `http.Error`: a line of text whose type browsers must not guess. */
export function errorLine(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  return { status, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body: `${message}\n` };
}

/** Sends an answer, a stream no faster than the client reads. A stream that `signal` cuts off is aborted, so that no reader takes it for complete. */
export async function sendAnswer(
  response: ServerResponse,
  { status = 200, contentType = PLAIN_TEXT, headers = {}, body }: EndpointResponse,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (contentType !== null) response.setHeader('content-type', contentType);
  // The rest of an unread body would come before the next request, so that a rejected client could keep the connection with it.
  if (!response.req.complete) response.shouldKeepAlive = false;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    // The length would be that of the version that the client has.
    if (status !== 304) response.setHeader('content-length', Buffer.byteLength(body));
    response.writeHead(status);
    // Without progress for so long, the client has left or reads nothing on purpose.
    response.setTimeout(STALLED_MS);
    response.end(body);
    return;
  }
  if (!beginStream(response, status)) return;
  for await (const chunk of body) {
    if (!response.write(chunk)) await once(response, 'drain', { signal });
  }
  if (signal.aborted) response.destroy();
  else response.end();
}

/**
 * Begins an answer whose end is open, and lets the client see its head before there is anything in it.
 * @returns `false` when the client asked for no more than that (HEAD)
 */
export function beginStream(response: ServerResponse, status = 200): boolean {
  response.writeHead(status);
  if (response.req.method === 'HEAD') {
    response.end();
    return false;
  }
  response.flushHeaders();
  return true;
}
