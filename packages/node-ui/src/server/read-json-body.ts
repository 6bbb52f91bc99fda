import type { IncomingMessage } from 'node:http';

/** Bodies are secrets of a few bytes. */
const MAX_BODY_BYTES = 4096;

/** Reads the body of a request; `undefined` for one that is too large or no JSON. */
export async function readJsonBody(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return undefined;
  }
}
