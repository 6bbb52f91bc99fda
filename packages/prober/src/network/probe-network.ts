import type { HttpPort } from '@rxlet/component-base/http';

/** The network as probes see it. Every connection is gone when the probe has ended. */
export interface ProbeNetwork {
  readonly http: HttpPort;
  /** Opens a TCP connection and closes it again. Rejects with {@link DialError}, or with the reason of the signal. */
  dial(hostname: string, port: number, signal: AbortSignal): Promise<void>;
  /**
   * Opens a connection for gRPC without TLS; resolves when the server has shown that it speaks HTTP/2. Rejects with {@link DialError}, or with the reason of
   * the signal.
   */
  connectGrpc(hostname: string, port: number, signal: AbortSignal): Promise<GrpcConnection>;
}

/** A connection to a gRPC server. Disposing of it closes it at once. */
export interface GrpcConnection extends Disposable {
  /** Sends one message and reads one. Rejects only with the reason of the signal: what fails has a status code. */
  call(request: GrpcRequest, signal: AbortSignal): Promise<GrpcReply>;
}

/** A unary gRPC call. */
export interface GrpcRequest {
  /** `/<service>/<method>` */
  readonly path: string;
  readonly userAgent: string;
  readonly message: Uint8Array;
}

/** The end of a unary gRPC call. */
export interface GrpcReply {
  /** gRPC status code; 0 is OK. */
  readonly code: number;
  /** What the server says about a code that is not OK. */
  readonly details: string;
  /** Present with code 0. */
  readonly message: Uint8Array | undefined;
}

/** No connection could be made. */
export class DialError extends Error {
  override readonly name = 'DialError';
}
