import type { ServerResponse } from 'node:http';
import { DATA_HEADERS } from '../files/page-headers.ts';

/** Sends an answer of plain text, or of JSON with that content type. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The rest of a body that was not read would come before the next request.
  if (!response.req.complete) response.shouldKeepAlive = false;
  response.writeHead(status, {
    ...DATA_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Sends a JSON document. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, 200, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}
