import { httpModule } from '@rxlet/component-base/http-module';
import type { Duplex } from 'node:stream';

/** Answers a request for an upgrade with a text and its newline, and ends the connection. */
export function answerText(connection: Duplex, status: number, text: string, headers: readonly string[] = []): void {
  const body = `${text}\n`;
  answerBare(
    connection,
    status,
    [
      ...headers,
      'Content-Type: text/plain; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      'Connection: close',
    ],
    body,
  );
}

/** Answers a request for an upgrade with these headers and nothing else, and ends the connection. */
export function answerBare(
  connection: Duplex,
  status: number,
  headers: readonly string[] = [],
  body: string | Buffer = '',
): void {
  const head = [`HTTP/1.1 ${String(status)} ${httpModule.STATUS_CODES[status] ?? ''}`, ...headers, '', ''].join('\r\n');
  // Unread input must not reset the connection before the client has the answer.
  connection.resume();
  connection.write(head);
  connection.end(body);
}
