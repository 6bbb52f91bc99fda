import type { StatusCode } from './status-code.ts';

/**
 * The error that an in-process implementation of a port rejects with. A server passes its code and message on unchanged, so that a caller sees
 * the same over a socket.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** gRPC status code. */
  readonly code: StatusCode;

  constructor(code: StatusCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
