import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EndpointRequest } from '@rxlet/agent-api/http';
import type { RequestTarget } from './request-target.ts';

/** A request as the server's own endpoints see it. */
export interface ApiRequest extends EndpointRequest {
  readonly target: RequestTarget;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Returns the body as text. @throws EndpointError 413 for one that is too large */
  readBody(): Promise<string>;
}

/** Connection of a request that asks for an upgrade. Who takes it over writes the whole answer, and ends it. */
export interface UpgradeConnection {
  readonly socket: Duplex;
  /** Bytes that the client has sent after its request. */
  readonly head: Buffer;
  /** Aborts when the server stops. The request's own signal aborts as soon as the client has left, when data for it and from it may still be on their way. */
  readonly signal: AbortSignal;
}
