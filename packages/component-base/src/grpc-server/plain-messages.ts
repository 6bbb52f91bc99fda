import type { Http2ServerResponse } from 'node:http2';

const MESSAGE = 'grpc-message';

/**
 * Makes a response send the messages of errors with as few escapes as gRPC requires. The framework escapes all but letters and digits, and some clients, such as
 * grpc-js, do not reverse that for `:` and `/`.
 */
export function sendPlainMessages(response: Http2ServerResponse): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers) => {
    const message = (trailers as Record<string, unknown>)[MESSAGE];
    addTrailers(typeof message === 'string' ? { ...trailers, [MESSAGE]: withFewEscapes(message) } : trailers);
  };
}

/**
 * Reverses the escapes of printable ASCII but `%`, which a message may contain as they are. Spaces at both ends stay escaped: clients drop a header that begins or
 * ends with one.
 */
export function withFewEscapes(message: string): string {
  return message.replaceAll(/%([2-7][0-9A-F])/gi, (escape, hex: string, at: number) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    const isAtEnd = at === 0 || at + escape.length === message.length;
    return character === '%' || character === '\u007f' || (character === ' ' && isAtEnd) ? escape : character;
  });
}
