import type { IncomingMessage } from 'node:http';
import { httpModule } from '../http-module.ts';
import type { HttpExchange } from './http-exchange.ts';
import { readBody } from './read-body.ts';
import { headerBytes, headerText, hostOf } from './request-headers.ts';

/** Maximum size of the response headers. Go's client accepts ten times as much. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Sends a request over HTTP/1.1. */
export const exchangeHttp1: HttpExchange = (socket, request, { maxBodyBytes, onHeaders }, end) => {
  let failed = end.failed;
  const broken = (error: Error): void => failed(error);
  // Alternating names and values keep order and repetitions.
  const headers = ['Host', hostOf(request)];
  for (const [name, value] of request.headers) headers.push(name, headerBytes(value));
  headers.push('Connection', 'close');
  const sent = httpModule.request({
    path: request.path,
    headers,
    createConnection: () => socket,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Accept lines that end in a bare line feed, as Go's client does.
    insecureHTTPParser: true,
  });
  const answered = ({ statusCode: status = 0, headers: received }: IncomingMessage) => {
    const location = received.location === undefined ? undefined : headerText(received.location);
    onHeaders?.();
    return (body: Uint8Array, bodyError?: string): void => end.answered({ status, location, body, bodyError });
  };
  sent.on('error', broken);
  sent.on('response', (response) => {
    failed = readBody(response, maxBodyBytes, answered(response));
  });
  // 101 Switching Protocols: the following bytes are not a body.
  sent.on('upgrade', (response) => answered(response)(new Uint8Array()));
  sent.end();
  return {
    broken,
    // Not within an event of the socket: Node.js would free the parser twice, and two later requests would share it.
    [Symbol.dispose]: () => queueMicrotask(() => void sent.destroy()),
  };
};
