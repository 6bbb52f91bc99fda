import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { answerUnknownMethod } from './answers.ts';

/** Options of `connectNodeAdapter` (@connectrpc/connect-node) for a handler that answers in gRPC alone. */
export interface GrpcHandlerOptions {
  readonly grpc: true;
  readonly grpcWeb: false;
  readonly connect: false;
  /** None: both ends are on one machine, so compression has no benefit. */
  readonly acceptCompression: [];
  readonly readMaxBytes: number;
  /** Answers requests for unknown methods. */
  fallback(request: object, response: object): void;
}

/** Returns the options of a handler that answers in gRPC alone, and accepts messages of up to `maxMessageBytes`. */
export function grpcHandlerOptions(maxMessageBytes: number): GrpcHandlerOptions {
  return {
    grpc: true,
    grpcWeb: false,
    connect: false,
    acceptCompression: [],
    readMaxBytes: maxMessageBytes,
    fallback: (request, response) =>
      answerUnknownMethod(request as Http2ServerRequest, response as Http2ServerResponse),
  };
}
