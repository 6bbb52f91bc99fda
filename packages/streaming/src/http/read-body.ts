import type { IncomingMessage } from 'node:http';
import { type Clock } from '@rxlet/component-base';

const MAX_BODY_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 10_000;

/** Returns the body of an answer that explains a failure, up to 64 KiB and what has come within 10 seconds. */
export async function readBody(answer: IncomingMessage, clock: Clock): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const timer = clock.setTimer(BODY_TIMEOUT_MS, () => answer.destroy());
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= MAX_BODY_BYTES) break;
    }
  } catch {
    // What has come is the explanation.
  } finally {
    timer[Symbol.dispose]();
    answer.destroy();
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES);
}
