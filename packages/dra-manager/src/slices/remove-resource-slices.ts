import { type Clock, jitter, type Random, sleep } from '@rxlet/component-base';
import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';

/** Ports of {@link removeResourceSlices}. */
export interface RemoveSlicesPorts {
  readonly client: Pick<KubeClient, 'deleteCollection'>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly random: Random;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;
const SPREAD = 0.2;

/** Removes the ResourceSlices of the node, or only those of a driver. Retries until the API server has done it, or does not know such objects. */
export async function removeResourceSlices(
  { client, nodeName, clock, random }: RemoveSlicesPorts,
  driver: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const ofDriver = driver === undefined ? '' : `,spec.driver=${escaped(driver)}`;
  const fieldSelector = `spec.nodeName=${nodeName}${ofDriver}`;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      await client.deleteCollection(resources.resourceSlices, { fieldSelector, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isKubeError(error, 'NotFound')) return;
    }
    await sleep(clock, jitter(random, delayMs, SPREAD), signal);
  }
}

/** Escapes a value of a field selector: plugins choose the names of their drivers. */
function escaped(value: string): string {
  return value.replace(/[\\,=]/g, String.raw`\$&`);
}
