import type { IncomingMessage } from 'node:http';
import { EndpointError } from '@rxlet/agent-api/http';

/** Largest body of a request that is kept. No endpoint needs more than a number. */
const MAX_BYTES = 16 * 1024;

/** Reads a body to its end, because an unread one would hide that the client closed the connection, and returns the function that waits for it. */
export function receiveBody(message: IncomingMessage): () => Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  message.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  message.once('end', resolve);
  message.once('close', resolve);
  return async () => {
    await promise;
    if (sizeBytes > MAX_BYTES) throw new EndpointError(413, 'request entity too large');
    return Buffer.concat(chunks).toString('utf8');
  };
}
