import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { errorMessage } from '../error-message.ts';
import { withFewEscapes } from './plain-messages.ts';

/** Status codes of gRPC. */
const UNIMPLEMENTED = 12;
const INTERNAL = 13;

/**
 * Answers a request for an unknown path. A gRPC client gets Unimplemented, by which clients probe for versions of a service; other clients get a plain 404.
 */
export function answerUnknownMethod(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const [, service = '', method = ''] = request.url.split('/');
  answer(request, response, constants.HTTP_STATUS_NOT_FOUND, {
    code: UNIMPLEMENTED,
    message: `unknown method ${method} of service ${service}`,
  });
}

/** Answers a request whose handler failed, or resets it if an answer has begun. */
export function answerFailure(request: Http2ServerRequest, response: Http2ServerResponse, error: unknown): void {
  answer(request, response, constants.HTTP_STATUS_INTERNAL_SERVER_ERROR, {
    code: INTERNAL,
    message: errorMessage(error),
  });
}

interface Status {
  readonly code: number;
  readonly message: string;
}

/** Answers with a status of gRPC, or with a status of HTTP if the client does not speak gRPC. */
function answer(
  request: Http2ServerRequest,
  { stream }: Http2ServerResponse,
  httpStatus: number,
  { code, message }: Status,
): void {
  // Of a client that has left.
  if (stream.destroyed || stream.closed) return;
  if (stream.headersSent) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  const isGrpc = request.headers['content-type']?.startsWith('application/grpc') === true;
  const status = {
    [constants.HTTP2_HEADER_STATUS]: constants.HTTP_STATUS_OK,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    'grpc-status': String(code),
    'grpc-message': withFewEscapes(encodeURIComponent(message.toWellFormed())),
  };
  stream.respond(isGrpc ? status : { [constants.HTTP2_HEADER_STATUS]: httpStatus }, { endStream: true });
  // An unread body would keep the stream open.
  request.resume();
}
