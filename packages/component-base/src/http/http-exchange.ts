import type { Socket } from 'node:net';
import type { HttpGetOptions, HttpGetRequest, HttpGetResponse } from './http-port.ts';

/** How an exchange tells its end. May be called more than once; the first call counts. */
export interface ExchangeEnd {
  answered(response: HttpGetResponse): void;
  failed(error: Error): void;
}

/** An exchange under way. Disposing of it ends it; the connection is its owner's to close. */
export interface RunningExchange extends Disposable {
  /** To be called when the connection breaks: that ends the exchange, with the answer as far as it came if its headers were there. */
  broken(error: Error): void;
}

/** Sends one request over a connection and reads the answer. */
export type HttpExchange = (
  socket: Socket,
  request: HttpGetRequest,
  options: HttpGetOptions,
  end: ExchangeEnd,
) => RunningExchange;
