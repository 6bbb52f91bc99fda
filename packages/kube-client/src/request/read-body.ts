import { KubeError } from '@rxlet/kube-api/client';

/** Reads a body of at most `maxBytes` as text. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new KubeError('InvalidResponse', `the answer is larger than ${String(maxBytes)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString();
}
