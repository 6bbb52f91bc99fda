import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import type { HttpRequest, HttpService } from './port-service.ts';

/** Serves HTTP/1.1 on connections for `service`. Its errors are 500 with the message. */
export function httpConnections(service: HttpService): (connection: Duplex) => void {
  // Created with the first connection: most ports of most pods are never called over one.
  let server: Server | undefined;
  return (connection) => {
    server ??= httpModule.createServer((request, response) => void answer(service, request, response));
    server.emit('connection', connection);
  };
}

async function answer(service: HttpService, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    const { status, headers = {}, body = '' } = await service.respond(toHttpRequest(request), left.signal);
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
    response.end(body);
  } catch (error) {
    if (left.signal.aborted) return;
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(errorMessage(error));
  }
}

function toHttpRequest({ method = 'GET', url = '/', headers }: IncomingMessage): HttpRequest {
  return { method, path: url, headers: joined(headers) };
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]));
}
