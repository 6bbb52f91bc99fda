import type { HttpPort } from '@rxlet/component-base/http';

/** Port for the network connections of probes. Every connection is closed when its probe ends. */
export interface ProbeNetwork {
  readonly http: HttpPort;
  /** Opens a TCP connection and closes it again. Rejects with {@link DialError}, or with the reason of the signal. */
  dial(hostname: string, port: number, signal: AbortSignal): Promise<void>;
  /** Opens a connection for gRPC without TLS; resolves once the server has confirmed HTTP/2. Rejects with {@link DialError}, or with the reason of the signal. */
  connectGrpc(hostname: string, port: number, signal: AbortSignal): Promise<GrpcConnection>;
}

/** A connection to a gRPC server. Disposal closes it at once. */
export interface GrpcConnection extends Disposable {
  /** Sends one message and reads one. Rejects only with the reason of the signal; failures are status codes. */
  call(request: GrpcRequest, signal: AbortSignal): Promise<GrpcReply>;
}

/** A unary gRPC call. */
export interface GrpcRequest {
  /** `/<service>/<method>` */
  readonly path: string;
  readonly userAgent: string;
  readonly message: Uint8Array;
}

/** Outcome of a unary gRPC call. */
export interface GrpcReply {
  /** gRPC status code; 0 is OK. */
  readonly code: number;
  /** Message of the server for a code other than OK. */
  readonly details: string;
  /** Present with code 0. */
  readonly message: Uint8Array | undefined;
}

/** A connection could not be opened. */
export class DialError extends Error {
  override readonly name = 'DialError';
}
