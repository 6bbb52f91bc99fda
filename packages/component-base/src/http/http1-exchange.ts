import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { HttpExchange } from './http-exchange.ts';
import { readBody } from './read-body.ts';
import { headerBytes, headerText, hostOf } from './request-headers.ts';

/** Longer headers than that are no answer. Go's client would read ten times as much. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** An {@link HttpExchange} in HTTP/1.1. */
export const exchangeHttp1: HttpExchange = (socket, request, { maxBodyBytes, onHeaders }, end) => {
  let failed = end.failed;
  const broken = (error: Error): void => failed(error);
  // Names and values in turn: the form that keeps order and repetitions.
  const headers = ['Host', hostOf(request)];
  for (const [name, value] of request.headers) headers.push(name, headerBytes(value));
  headers.push('Connection', 'close');
  const sent = sendRequest({
    path: request.path,
    headers,
    createConnection: () => socket,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Lines may end in a mere line feed, as those of CGI programs do: Go's client, hence a kubelet, takes them.
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
  // 101 Switching Protocols: what follows is no body.
  sent.on('upgrade', (response) => answered(response)(new Uint8Array()));
  sent.end();
  return { broken, [Symbol.dispose]: () => void sent.destroy() };
};
