import http2 from 'node:http2';
import { connect } from 'node:net';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { systemClock, withDeadline } from '@rxlet/component-base';

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS, HTTP2_HEADER_TE, HTTP2_HEADER_CONTENT_TYPE } =
  http2.constants;

/** The server answered a call with a gRPC status other than OK. */
export class CriCallError extends Error {
  override readonly name = 'CriCallError';
  /** The gRPC status code. */
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (gRPC status ${String(code)})`);
    this.code = code;
  }
}

/**
 * Makes one unary CRI call on a connection of its own, over node:http2. It does not use `@rxlet/cri-client`, which is tested with the private containerd.
 * Rejects with a {@link CriCallError}, with the socket's error, or with a `DeadlineExceededError` after `timeoutMs`.
 */
export async function criCall<I extends DescMessage, O extends DescMessage>(
  socketPath: string,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  timeoutMs: number,
): Promise<MessageShape<O>> {
  const message = toBinary(method.input, create(method.input, request));
  const frame = Buffer.alloc(5 + message.length); // flag "not compressed", length, message
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);

  const session = http2.connect('http://localhost', { createConnection: () => connect(socketPath) });
  try {
    const answer = await withDeadline(systemClock, timeoutMs, undefined, () => exchange(session, method, frame));
    return fromBinary(method.output, answer);
  } finally {
    session.destroy();
  }
}

function exchange(session: http2.ClientHttp2Session, method: DescMethodUnary, frame: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({
      [HTTP2_HEADER_METHOD]: 'POST',
      [HTTP2_HEADER_PATH]: `/${method.parent.typeName}/${method.name}`,
      [HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [HTTP2_HEADER_TE]: 'trailers',
    });
    const chunks: Buffer[] = [];
    let status: http2.IncomingHttpHeaders = {};
    stream.once('error', reject);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    // An error without a message has its status in the headers, any other in the trailers.
    const merge = (headers: http2.IncomingHttpHeaders): void => {
      status = { ...status, ...headers };
    };
    stream.on('response', merge);
    stream.on('trailers', merge);
    stream.once('end', () => {
      const code = Number(status['grpc-status'] ?? 2);
      if (code === 0) resolve(Buffer.concat(chunks).subarray(5));
      else reject(new CriCallError(method.name, code, statusMessage(status)));
    });
    stream.end(frame);
  });
}

function statusMessage(status: http2.IncomingHttpHeaders): string {
  const message = status['grpc-message'];
  if (typeof message === 'string') return decodeURIComponent(message);
  return `no gRPC answer, HTTP status ${String(status[HTTP2_HEADER_STATUS])}`;
}
