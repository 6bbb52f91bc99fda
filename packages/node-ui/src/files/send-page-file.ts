import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageFile } from './page-files.ts';
import { type PageHeaderOptions, pageHeaders } from './page-headers.ts';

/** Returns the header fields and the body of a file for a client that accepts these encodings. */
export function pageFileAnswer(
  { contentType, isImmutable, content, compressed }: PageFile,
  acceptEncoding: string | undefined,
  options: PageHeaderOptions,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const isCompressed = compressed !== undefined && /\bgzip\b/.test(acceptEncoding ?? '');
  return {
    headers: {
      ...pageHeaders(options),
      'content-type': contentType,
      'cache-control': isImmutable ? 'private, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
    body: isCompressed ? compressed : content,
  };
}

/** Sends a file of the page. */
export function sendPageFile(
  message: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
  options: PageHeaderOptions,
): void {
  const encodings = message.headers['accept-encoding'];
  const { headers, body } = pageFileAnswer(file, typeof encodings === 'string' ? encodings : undefined, options);
  response.writeHead(200, { ...headers, 'content-length': body.byteLength });
  response.end(message.method === 'HEAD' ? undefined : body);
}
