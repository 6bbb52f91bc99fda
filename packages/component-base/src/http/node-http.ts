import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  hostAndPort,
  HttpError,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
} from './http-port.ts';
import { transportErrorText } from './transport-error.ts';

/** What OpenSSL says when the first bytes of the answer are no TLS record. Its own codes come through on some paths only. */
const notTls = /wrong version number|packet length too long/;

/** The {@link HttpPort} on real sockets. */
export const nodeHttp: HttpPort = { get };

function get(request: HttpGetRequest, { maxBodyBytes, signal }: HttpGetOptions): Promise<HttpGetResponse> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const tcp = connectTcp({ host: request.hostname, port: request.port });
    let sent: ClientRequest | undefined;
    let ended = false;
    const end = (settle: () => void): void => {
      if (ended) return;
      ended = true;
      signal?.removeEventListener('abort', onAbort);
      // A reset leaves no port in TIME_WAIT behind, and nothing on the connection is still wanted. (One that is being made it would let live on.)
      if (tcp.connecting) tcp.destroy();
      else tcp.resetAndDestroy();
      sent?.destroy();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal?.reason as Error));
    const fail = (error: Error): void => end(() => reject(httpError(request, error)));
    signal?.addEventListener('abort', onAbort, { once: true });
    // What sockets report after the end needs a listener too.
    tcp.on('error', fail);
    try {
      const socket = request.scheme === 'https' ? overTls(tcp, request).on('error', fail) : tcp;
      const headers = headerLines(request);
      // Lines may end in a mere line feed, as those of CGI programs do: Go's client, hence a kubelet, takes them.
      const insecureHTTPParser = true;
      sent = sendRequest({ path: request.path, headers, insecureHTTPParser, createConnection: () => socket });
    } catch (error) {
      fail(error as Error);
      return;
    }
    sent.on('error', fail);
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      readBody(response, maxBodyBytes, (body, bodyError) =>
        end(() => resolve({ status, location: headers.location, body, bodyError })),
      );
    });
    sent.end();
  });
}

function overTls(tcp: Socket, { hostname }: HttpGetRequest): Socket {
  return connectTls({
    socket: tcp,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(hostname) === 0 && { servername: hostname }),
  });
}

/** Names and values in turn: the form that keeps order and repetitions. */
function headerLines({ hostname, port, hostHeader, headers }: HttpGetRequest): string[] {
  return ['Host', hostHeader ?? hostAndPort(hostname, port), ...headers.flat(), 'Connection', 'close'];
}

/** Hands over the body up to `maxBytes`, or what there is of one that breaks off. May call `done` more than once; the first call counts. */
function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Uint8Array, error: string | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error?: string): void => done(Buffer.concat(chunks).subarray(0, maxBytes), error);
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) finish();
  });
  // Before the client's own listener, which would close the connection in the way that leaves the port in TIME_WAIT.
  response.prependListener('end', () => finish());
  response.on('error', () => finish('unexpected EOF'));
  response.on('close', () => finish('unexpected EOF'));
}

function httpError({ scheme, hostname, port }: HttpGetRequest, error: NodeJS.ErrnoException): HttpError {
  if (scheme === 'https' && notTls.test(error.message)) {
    return new HttpError('PlainHttpServer', 'http: server gave HTTP response to HTTPS client', { cause: error });
  }
  return new HttpError('Transport', transportErrorText(error, hostname, port), { cause: error });
}
