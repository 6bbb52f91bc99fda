import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { StatusCode } from '@rxlet/cri-api';

/**
 * Answers a request for an unknown path. A gRPC client gets Unimplemented, by which clients probe for CRI versions; other clients get a plain 404.
 */
export function answerUnknownMethod(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (!request.headers['content-type']?.startsWith('application/grpc')) {
    response.writeHead(404).end();
    return;
  }
  const [, service = '', method = ''] = request.url.split('/');
  response.stream.respond(
    {
      [constants.HTTP2_HEADER_STATUS]: 200,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      'grpc-status': String(StatusCode.Unimplemented),
      'grpc-message': encodeURIComponent(`unknown method ${method} of service ${service}`).replaceAll('%20', ' '),
    },
    { endStream: true },
  );
}
