import type { ServerResponse } from 'node:http';

/** Answers with a JSON document. */
export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Answers with `text` as it is. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(text);
}

/**
 * Begins an answer whose end is open, and lets the reader see its head before there is anything in it.
 * @returns `false` when the reader asked for no more than that (HEAD)
 */
export function beginStream(response: ServerResponse, contentType: string): boolean {
  response.writeHead(200, { 'content-type': contentType });
  if (response.req.method === 'HEAD') {
    response.end();
    return false;
  }
  response.flushHeaders();
  return true;
}
