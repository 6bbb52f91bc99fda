import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { onAbort } from '../abort.ts';
import type { ExchangeEnd, HttpExchange, RunningExchange } from './http-exchange.ts';
import {
  HttpError,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
} from './http-port.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2 } from './http2-exchange.ts';
import { checkHeaders } from './request-headers.ts';
import { transportErrorText } from './transport-error.ts';

/** OpenSSL's reasons when the first bytes of a response are not a TLS record. Its error codes are missing on some paths. */
const notTls = /wrong version number|packet length too long/;

/** The {@link HttpPort} on real sockets. With TLS the server may choose HTTP/2. */
export const nodeHttp: HttpPort = { get };

function get(request: HttpGetRequest, options: HttpGetOptions): Promise<HttpGetResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    signal?.throwIfAborted();
    checkHeaders(request);
    const tcp = connectTcp({ host: request.hostname, port: request.port });
    let exchange: RunningExchange | undefined;
    let ended = false;
    const finish = (settle: () => void): void => {
      if (ended) return;
      ended = true;
      listener[Symbol.dispose]();
      // A reset leaves no port in TIME_WAIT, but does not end a connection that is still being opened.
      if (tcp.connecting) tcp.destroy();
      else tcp.resetAndDestroy();
      exchange?.[Symbol.dispose]();
      settle();
    };
    const end: ExchangeEnd = {
      answered: (response) => finish(() => resolve(response)),
      failed: (error) => finish(() => reject(httpError(request, error))),
    };
    const listener = onAbort(signal, (reason) => finish(() => reject(reason)));
    const onError = (error: Error): void => (exchange?.broken ?? end.failed)(error);
    // Errors after the end need a listener too.
    tcp.on('error', onError);
    const begin = (socket: Socket, startExchange: HttpExchange): void => {
      try {
        exchange = startExchange(socket, request, options, end);
      } catch (error) {
        end.failed(error as Error);
      }
    };
    if (request.scheme === 'http') {
      begin(tcp, exchangeHttp1);
      return;
    }
    const tls = overTls(tcp, request).on('error', onError);
    tls.once('secureConnect', () => {
      if (!ended) begin(tls, tls.alpnProtocol === 'h2' ? exchangeHttp2 : exchangeHttp1);
    });
  });
}

/** Shared by all connections, because creating it takes longer than a handshake. */
let secureContext: SecureContext | undefined;

function overTls(socket: Socket, { hostname }: HttpGetRequest): TLSSocket {
  // Certificates are not verified, so short keys are no additional risk.
  secureContext ??= createSecureContext({ ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1.2' });
  return connectTls({
    socket,
    secureContext,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(isIP(hostname) === 0 && { servername: hostname }),
  });
}

function httpError({ scheme, hostname, port }: HttpGetRequest, error: Error): HttpError {
  if (scheme === 'https' && notTls.test(error.message)) {
    return new HttpError('PlainHttpServer', 'http: server gave HTTP response to HTTPS client', { cause: error });
  }
  return new HttpError('Transport', transportErrorText(error, hostname, port), { cause: error });
}
