/** Thread of a manifest decoder: answers each {@link DecodeRequest} with a {@link DecodeAnswer}. */
import { parentPort } from 'node:worker_threads';
import { type DecodeAnswer, decodeNow, type DecodeRequest } from './manifest-decoder.ts';
import { ManifestError } from './manifest-error.ts';

parentPort?.on('message', (request: DecodeRequest) => {
  void answer(request).then((decoded) => parentPort?.postMessage(decoded));
});

async function answer(request: DecodeRequest): Promise<DecodeAnswer> {
  try {
    return { decodedJson: JSON.stringify(await decodeNow(request)) };
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return { error: { reason: error.reason, detail: error.detail, problems: error.problems } };
  }
}
