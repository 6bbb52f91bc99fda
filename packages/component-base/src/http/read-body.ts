import type { Readable } from 'node:stream';

/**
 * Reads the body up to `maxBytes`, or the part of it before it breaks off. May call `done` more than once; the first call counts.
 *
 * @returns the handler of a broken connection
 */
export function readBody(
  response: Readable,
  maxBytes: number,
  done: (body: Uint8Array, error: string | undefined) => void,
): () => void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error?: string): void => done(Buffer.concat(chunks).subarray(0, maxBytes), error);
  const breakOff = (): void => finish('unexpected EOF');
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) finish();
  });
  // Runs before the client's own listener, which would leave the port in TIME_WAIT.
  response.prependListener('end', () => finish());
  response.on('error', breakOff);
  response.on('close', breakOff);
  return breakOff;
}
