import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { type Clock, sleep } from '@rxlet/component-base';
import { resources } from '@rxlet/kube-api/resources';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;

/**
 * Removes the resource slices of the node, once: drivers for dynamic resource allocation that ran before the agent started publish theirs again when they register.
 * Without it, the scheduler would assign devices of drivers that are gone. Retries until the API server has done it, or does not know such objects.
 */
export async function removeResourceSlices(
  client: Pick<KubeClient, 'deleteCollection'>,
  nodeName: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      await client.deleteCollection(resources.resourceSlices, { fieldSelector: `spec.nodeName=${nodeName}`, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isKubeError(error, 'NotFound')) return;
    }
    await sleep(clock, delayMs, signal);
  }
}
