import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { onAbort } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { httpModule } from '@rxlet/component-base/http-module';
import { hostAndPort, transportErrorText } from '@rxlet/component-base/http';
import { StatusCode } from '@rxlet/cri-api';
import { DialError, type GrpcConnection, type GrpcReply, type GrpcRequest } from './probe-network.ts';
import { closeNow, dialError } from './sockets.ts';

/** Headers and trailers of a response. */
export interface GrpcHeaders {
  readonly ':status'?: number;
  readonly 'content-type'?: string;
  readonly 'grpc-status'?: string | string[];
  readonly 'grpc-message'?: string | string[];
}

/** Abnormal end of a stream. */
export interface StreamEnd {
  /** HTTP/2 error code with which the server reset it. */
  readonly resetCode?: number | undefined;
  /** Failure of the connection. */
  readonly connectionError?: string | undefined;
}

/** Maximum size of a health check response. */
const MAX_REPLY_BYTES = 64 * 1024;

/** gRPC codes of responses without a gRPC status, by HTTP status (mapping of the gRPC specification). */
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

const grpcType = /^application\/grpc(?:[+;]|$)/i;

/** gRPC codes of reset streams, by error code (mapping of the gRPC specification). */
const resets: Readonly<Record<number, readonly [name: string, status: number]>> = {
  1: ['PROTOCOL_ERROR', StatusCode.Internal],
  2: ['INTERNAL_ERROR', StatusCode.Internal],
  3: ['FLOW_CONTROL_ERROR', StatusCode.ResourceExhausted],
  4: ['SETTINGS_TIMEOUT', StatusCode.Internal],
  5: ['STREAM_CLOSED', StatusCode.Internal],
  6: ['FRAME_SIZE_ERROR', StatusCode.Internal],
  7: ['REFUSED_STREAM', StatusCode.Unavailable],
  8: ['CANCEL', StatusCode.Canceled],
  9: ['COMPRESSION_ERROR', StatusCode.Internal],
  10: ['CONNECT_ERROR', StatusCode.Internal],
  11: ['ENHANCE_YOUR_CALM', StatusCode.ResourceExhausted],
  12: ['INADEQUATE_SECURITY', StatusCode.PermissionDenied],
};

/** Opens an HTTP/2 connection for unary gRPC calls. It supports only the part of gRPC that probes need, at a fraction of the cost of a full client. */
export function connectGrpc(hostname: string, port: number, signal: AbortSignal): Promise<GrpcConnection> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connectTcp({ host: hostname, port });
    const session = connectHttp2(`http://${hostAndPort(hostname, port)}`, { createConnection: () => socket });
    const close = (): void => {
      listener[Symbol.dispose]();
      closeNow(socket);
      session.destroy();
    };
    const fail = (error: Error): void => {
      close();
      reject(error);
    };
    const listener = onAbort(signal, fail);
    session.on('error', (error: Error) => fail(dialError(error, hostname, port)));
    session.on('close', () => fail(new DialError('the server closed the connection')));
    session.once('remoteSettings', () => {
      listener[Symbol.dispose]();
      const errorText = (error: Error): string => transportErrorText(error, hostname, port);
      resolve({
        call: (request, callSignal) => call(session, request, callSignal, errorText),
        [Symbol.dispose]: close,
      });
    });
  });
}

function call(
  session: ClientHttp2Session,
  request: GrpcRequest,
  signal: AbortSignal,
  errorText: (error: Error) => string,
): Promise<GrpcReply> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // The server may have closed the connection since.
    if (session.closed || session.destroyed)
      return resolve(grpcReply({}, new Uint8Array(), { connectionError: 'EOF' }));
    const chunks: Buffer[] = [];
    let bytes = 0;
    let headers: GrpcHeaders = {};
    let streamError: Error | undefined;
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: request.path,
      'content-type': 'application/grpc',
      'user-agent': request.userAgent,
      te: 'trailers',
    });
    const listener = onAbort(signal, (reason) => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(reason);
    });
    stream.on('response', (received: GrpcHeaders) => (headers = { ...received }));
    stream.on('trailers', (trailers: GrpcHeaders) => (headers = { ...headers, ...trailers }));
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_REPLY_BYTES) {
        chunks.push(chunk);
        return;
      }
      resolve(failed(StatusCode.ResourceExhausted, 'the response is too long'));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('error', (error: Error) => (streamError = error));
    stream.on('close', () => {
      listener[Symbol.dispose]();
      const connectionError = streamError === undefined ? 'EOF' : errorText(streamError);
      const end = session.destroyed ? { connectionError } : { resetCode: stream.rstCode };
      resolve(grpcReply(headers, Buffer.concat(chunks), end));
    });
    stream.end(frameMessage(request.message));
  });
}

/** Returns the outcome of a call with the wording of Go's gRPC client. Exported for its test. */
export function grpcReply(headers: GrpcHeaders, body: Uint8Array, end: StreamEnd = {}): GrpcReply {
  const { ':status': status, 'content-type': type, 'grpc-status': code, 'grpc-message': text = '' } = headers;
  const isGrpc = grpcType.test(type ?? '');
  if (status !== undefined && (!isGrpc || (code === undefined && status !== 200))) {
    const details = [
      `unexpected HTTP status code received from server: ${String(status)} (${httpModule.STATUS_CODES[status] ?? ''})`,
    ];
    if (type === undefined) details.push('malformed header: missing HTTP content-type');
    else if (!isGrpc) details.push(`transport: received unexpected content-type ${goQuote(type)}`);
    return failed(codesByHttpStatus[status] ?? StatusCode.Unknown, details.join('; '));
  }
  if (typeof code === 'string' && /^\d+$/.test(code)) {
    if (Number(code) !== 0) return failed(Number(code), decodePercent(String(text)));
    const message = unframeMessage(body);
    return message === undefined
      ? failed(StatusCode.Internal, 'the response is not a single uncompressed message')
      : { code: 0, details: '', message };
  }
  if (end.connectionError !== undefined) {
    return failed(StatusCode.Unavailable, `error reading from server: ${end.connectionError}`);
  }
  const { resetCode = constants.NGHTTP2_NO_ERROR } = end;
  if (resetCode !== constants.NGHTTP2_NO_ERROR) {
    const [name, status] = resets[resetCode] ?? [String(resetCode), StatusCode.Unknown];
    return failed(status, `stream terminated by RST_STREAM with error code: ${name}`);
  }
  return failed(StatusCode.Internal, 'server closed the stream without sending trailers');
}

function failed(code: number, details: string): GrpcReply {
  return { code, details, message: undefined };
}

/** Decodes percent escapes and keeps everything else. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

/** Returns a gRPC frame of a message: a byte without compression flag, four bytes of length, the message. */
function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Returns the message of a body with exactly one uncompressed frame; `undefined` for any other body. */
function unframeMessage(body: Uint8Array): Uint8Array | undefined {
  if (body.length < 5 || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.length === 5 + length ? body.subarray(5) : undefined;
}
