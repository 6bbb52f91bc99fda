import type { Readable } from 'node:stream';

/**
 * Hands over the body up to `maxBytes`, or what there is of one that breaks off. May call `done` more than once; the first call counts.
 * @returns what is to be called when the connection reports that it broke
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
  // Before the client's own listener, which would close the connection in the way that leaves the port in TIME_WAIT.
  response.prependListener('end', () => finish());
  response.on('error', breakOff);
  response.on('close', breakOff);
  return breakOff;
}
