import { connect as connectHttp2, constants, type OutgoingHttpHeaders } from 'node:http2';
import type { HttpExchange } from './http-exchange.ts';
import { hostAndPort, type HttpGetRequest } from './http-port.ts';
import { readBody } from './read-body.ts';
import { headerBytes, headerText, hostOf } from './request-headers.ts';

/** Headers about the connection, which HTTP/2 forbids. */
const connectionHeaders = /^(?:connection|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/;

/** Sends a request over HTTP/2. */
export const exchangeHttp2: HttpExchange = (socket, request, { maxBodyBytes, onHeaders }, end) => {
  let failed = end.failed;
  const broken = (error: Error): void => failed(error);
  const session = connectHttp2(`https://${hostAndPort(request.hostname, request.port)}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  session.on('error', broken);
  const stream = session.request(headersOf(request));
  stream.on('error', broken);
  // A server may close the stream without an error.
  stream.on('close', () => broken(new Error('EOF')));
  stream.on('response', (headers) => {
    const { ':status': status = 0, location: sent } = headers;
    const location = sent === undefined ? undefined : headerText(sent);
    onHeaders?.();
    failed = readBody(stream, maxBodyBytes, (body, error) => {
      // A reset stream ends as if it were complete.
      const isReset = (stream.rstCode ?? constants.NGHTTP2_NO_ERROR) !== constants.NGHTTP2_NO_ERROR;
      end.answered({ status, location, body, bodyError: isReset ? 'unexpected EOF' : error });
    });
  });
  return { broken, [Symbol.dispose]: () => session.destroy() };
};

function headersOf(request: HttpGetRequest): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of request.headers) {
    const lowerCase = name.toLowerCase();
    if (connectionHeaders.test(lowerCase)) continue;
    const bytes = headerBytes(value);
    const earlier = headers[lowerCase];
    headers[lowerCase] = earlier === undefined ? bytes : [...(Array.isArray(earlier) ? earlier : [earlier]), bytes];
  }
  return {
    ...headers,
    [constants.HTTP2_HEADER_SCHEME]: request.scheme,
    [constants.HTTP2_HEADER_AUTHORITY]: hostOf(request),
    [constants.HTTP2_HEADER_PATH]: request.path,
  };
}
