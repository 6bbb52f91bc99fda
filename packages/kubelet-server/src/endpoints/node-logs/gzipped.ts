import { once } from 'node:events';
import { constants, createGzip } from 'node:zlib';

/** Compresses a stream, no faster than it is read. `signal` ends it; the source is closed when the reader leaves. */
export async function* gzipped(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  const feed = async (): Promise<void> => {
    for await (const chunk of source) {
      if (!gzip.write(chunk)) await once(gzip, 'drain', { signal: stop });
    }
    gzip.end();
  };
  const fed = feed().catch((error: unknown) => void gzip.destroy(stop.aborted ? undefined : (error as Error)));
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    left.abort();
    gzip.destroy();
    await fed;
  }
}
