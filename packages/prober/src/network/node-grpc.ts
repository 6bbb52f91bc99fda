import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { hostAndPort } from '@rxlet/component-base/http';
import { StatusCode } from '@rxlet/cri-api';
import { frameMessage, unframeMessage } from './grpc-frame.ts';
import { DialError, type GrpcConnection, type GrpcReply, type GrpcRequest } from './probe-network.ts';
import { closeNow, dialError } from './sockets.ts';

/** What matters of the headers and trailers of an answer. */
export interface GrpcHeaders {
  readonly ':status'?: number;
  readonly 'grpc-status'?: string | string[];
  readonly 'grpc-message'?: string | string[];
}

/** Longer answers than this are no health checks. */
const MAX_REPLY_BYTES = 64 * 1024;

/** What an answer without a gRPC status means, by its HTTP status (the mapping of the gRPC specification). */
const codesByHttpStatus: Readonly<Record<number, number>> = {
  400: StatusCode.Internal,
  401: StatusCode.Unauthenticated,
  403: StatusCode.PermissionDenied,
  404: StatusCode.Unimplemented,
  429: StatusCode.Unavailable,
  502: StatusCode.Unavailable,
  503: StatusCode.Unavailable,
  504: StatusCode.Unavailable,
};

/** Opens an HTTP/2 connection for unary gRPC calls: as much of gRPC as a probe needs, and a fraction of what a full client costs for each connection. */
export function connectGrpc(hostname: string, port: number, signal: AbortSignal): Promise<GrpcConnection> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connectTcp({ host: hostname, port });
    const session = connectHttp2(`http://${hostAndPort(hostname, port)}`, { createConnection: () => socket });
    const close = (): void => {
      signal.removeEventListener('abort', onAbort);
      closeNow(socket);
      session.destroy();
    };
    const fail = (error: Error): void => {
      close();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    session.on('error', (error: Error) => fail(dialError(error, hostname, port)));
    session.on('close', () => fail(new DialError('the server closed the connection')));
    session.once('remoteSettings', () => {
      signal.removeEventListener('abort', onAbort);
      resolve({ call: (request, callSignal) => call(session, request, callSignal), [Symbol.dispose]: close });
    });
  });
}

function call(session: ClientHttp2Session, request: GrpcRequest, signal: AbortSignal): Promise<GrpcReply> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let status: GrpcHeaders = {};
    let streamError: Error | undefined;
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: request.path,
      'content-type': 'application/grpc',
      'user-agent': request.userAgent,
      te: 'trailers',
    });
    const onAbort = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('response', (headers: GrpcHeaders) => (status = { ...headers }));
    stream.on('trailers', (trailers: GrpcHeaders) => (status = { ...status, ...trailers }));
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_REPLY_BYTES) stream.destroy(new Error('the answer is too long'));
    });
    stream.on('error', (error: Error) => (streamError = error));
    stream.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(grpcReply(status, Buffer.concat(chunks), streamError));
    });
    stream.end(frameMessage(request.message));
  });
}

/** The outcome of a call by what came back; exported for its test. */
export function grpcReply(status: GrpcHeaders, body: Uint8Array, streamError?: Error): GrpcReply {
  const { 'grpc-status': code, 'grpc-message': text = '', ':status': httpStatus } = status;
  if (typeof code === 'string' && /^\d+$/.test(code)) {
    if (Number(code) !== 0) return failed(Number(code), decodePercent(String(text)));
    const message = unframeMessage(body);
    return message === undefined
      ? failed(StatusCode.Internal, 'the answer is no single uncompressed message')
      : { code: 0, details: '', message };
  }
  if (httpStatus !== undefined && httpStatus !== 200) {
    const details = `unexpected HTTP status code received from server: ${String(httpStatus)}`;
    return failed(codesByHttpStatus[httpStatus] ?? StatusCode.Unknown, details);
  }
  if (streamError !== undefined) return failed(StatusCode.Unavailable, streamError.message);
  return failed(StatusCode.Internal, 'server closed the stream without sending trailers');
}

function failed(code: number, details: string): GrpcReply {
  return { code, details, message: undefined };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
