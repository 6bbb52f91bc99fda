import type { Pod, Volume } from '@rxlet/kube-api';
import { downwardApiPayload } from './downward-api-payload.ts';
import { fetchConfigMap, fetchSecret } from './fetch-object.ts';
import { configMapPayload, secretPayload } from './object-payload.ts';
import type { PayloadSources } from './payload-sources.ts';
import type { Payload } from './payload.ts';
import { projectedPayload } from './projected-payload.ts';

/**
 * Collects the files of a configMap, secret, downwardAPI or projected volume. Rejects with PayloadError, whose message the user sees, or with the failure of a
 * source.
 */
export async function collectPayload(
  pod: Pod,
  volume: Volume,
  sources: PayloadSources,
  signal?: AbortSignal,
): Promise<Payload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined)
    return configMapPayload(await fetchConfigMap(sources, pod, configMap.name, configMap.optional, signal), configMap);
  if (secret !== undefined)
    return secretPayload(await fetchSecret(sources, pod, secret.secretName, secret.optional, signal), secret);
  if (downwardAPI !== undefined)
    return downwardApiPayload(pod, downwardAPI.items ?? [], downwardAPI.defaultMode, () => sources.allocatable());
  if (projected !== undefined) return projectedPayload(pod, volume.name, projected, sources, signal);
  throw new TypeError(`volume ${volume.name} has no files of the API`);
}
