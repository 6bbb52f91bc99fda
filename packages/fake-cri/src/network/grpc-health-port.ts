import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { errorMessage } from '@rxlet/component-base';
import { StatusCode } from '@rxlet/cri-api';
import type { GrpcHealthService, HealthStatus } from './port-service.ts';

const CHECK = '/grpc.health.v1.Health/Check';
/** Numbers of `HealthCheckResponse.ServingStatus`. */
const STATUS_NUMBERS: Readonly<Record<HealthStatus, number>> = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2 };
/** Size of the compression flag and the length in front of each gRPC message. */
const PREFIX_BYTES = 5;
/** Maximum size of a request, above the length of any service name; a longer one is rejected. */
const MAX_REQUEST_BYTES = 64 * 1024;

/**
 * Serves gRPC on connections for `service`: HTTP/2 without TLS, and only the method `Check`, which probes call. Its two messages of one field each need no
 * generated code.
 */
export function grpcHealthConnections(service: GrpcHealthService): (connection: Duplex) => void {
  // As with HTTP/1.1, created with the first connection.
  let server: Http2Server | undefined;
  const open = (): Http2Server => {
    const opened = createServer();
    opened.on('stream', (stream, headers) => void answer(service, stream, headers));
    // A client with another protocol is disconnected, without a log line.
    opened.on('sessionError', () => undefined);
    return opened;
  };
  return (connection) => {
    server ??= open();
    server.emit('connection', connection);
  };
}

async function answer(
  service: GrpcHealthService,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const left = new AbortController();
  stream.once('close', () => left.abort());
  // A client that resets its call gets no response.
  stream.on('error', () => undefined);
  try {
    if (headers[constants.HTTP2_HEADER_PATH] !== CHECK) {
      stream.resume();
      fail(stream, StatusCode.Unimplemented, `unknown method ${String(headers[constants.HTTP2_HEADER_PATH])}`);
      return;
    }
    const name = requestedService(await readRequest(stream));
    const status = await service.check(name, left.signal);
    if (left.signal.aborted || stream.destroyed) return;
    if (status === undefined) fail(stream, StatusCode.NotFound, 'unknown service');
    else succeed(stream, status);
  } catch (error) {
    if (left.signal.aborted || stream.destroyed || stream.headersSent) return;
    fail(stream, StatusCode.Internal, errorMessage(error));
    // An unread request would keep the stream open.
    stream.resume();
  }
}

async function readRequest(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The stream must survive its rejection, which is the answer.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_REQUEST_BYTES) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `HealthCheckRequest { string service = 1 }`; a message without the field queries the server as a whole. */
function requestedService(request: Buffer): string {
  if (request.length < PREFIX_BYTES || request[0] !== 0) throw new Error('the request is not a plain gRPC message');
  const length = request.readUInt32BE(1);
  const reader = new BinaryReader(request.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
  let service = '';
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.LengthDelimited) service = reader.string();
    else reader.skip(wireType, field);
  }
  return service;
}

/** `HealthCheckResponse { ServingStatus status = 1 }` */
function succeed(stream: ServerHttp2Stream, status: HealthStatus): void {
  const message = new BinaryWriter().tag(1, WireType.Varint).int32(STATUS_NUMBERS[status]).finish();
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.end(Buffer.concat([prefix, message]));
}

/** Sends a response with trailers only. */
function fail(stream: ServerHttp2Stream, code: StatusCode, message: string): void {
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURI(message.toWellFormed()) };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
}
