import type { Socket } from 'node:net';
import type { HttpGetOptions, HttpGetRequest, HttpGetResponse } from './http-port.ts';

/** Receives the end of an exchange. May be called more than once; the first call counts. */
export interface ExchangeEnd {
  answered(response: HttpGetResponse): void;
  failed(error: Error): void;
}

/** An exchange in flight. Disposal ends it; its owner closes the connection. */
export interface RunningExchange extends Disposable {
  /** Ends the exchange because the connection broke. If the headers have arrived, the exchange ends with the partial response. */
  broken(error: Error): void;
}

/** Sends one request over a connection and reads the response. */
export type HttpExchange = (
  socket: Socket,
  request: HttpGetRequest,
  options: HttpGetOptions,
  end: ExchangeEnd,
) => RunningExchange;
