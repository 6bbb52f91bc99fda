import type { PullCredential } from '@rxlet/agent-api/images';
import type { PodObjects } from '@rxlet/agent-api/kube';
import { type Clock, errorMessage, type Logger, withDeadline } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod, Secret } from '@rxlet/kube-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import { shorten } from '@rxlet/pod-model/validation';
import {
  type DockerConfigEntry,
  DockerConfigError,
  parseDockercfg,
  parseDockerConfigJson,
  printableRegistry,
} from './docker-config.ts';
import type { KeyringEntry } from './keyring.ts';
import { hashRegistryAuth } from './registry-auth.ts';

/** Error of a pull secret that is not a valid docker config. The pull fails, as in the kubelet. */
export class PullSecretError extends Error {
  override readonly name = 'PullSecretError';
  readonly reason = 'InvalidPullSecret';
}

/** Timeout after which a secret counts as missing. */
export const PULL_SECRET_TIMEOUT_MS = 10_000;

/** Types of pull secrets: key of the docker config, and its parser. */
const formats: Readonly<Record<string, readonly [key: string, parse: (text: string) => readonly DockerConfigEntry[]]>> =
  {
    'kubernetes.io/dockerconfigjson': ['.dockerconfigjson', parseDockerConfigJson],
    'kubernetes.io/dockercfg': ['.dockercfg', parseDockercfg],
  };

/** Ports of {@link retrievePullSecrets}. */
export interface PullSecretPorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger: Logger;
  /** Default: every secret is missing. */
  readonly secrets?: Pick<PodObjects, 'secret'> | undefined;
}

/**
 * Returns the pull secrets of a pod, each once, in the order of `spec.imagePullSecrets`. One event on the pod names the missing ones; the pull continues without them.
 * Rejects only when the signal aborts.
 */
export async function retrievePullSecrets(
  ports: PullSecretPorts,
  pod: Pod,
  signal?: AbortSignal,
): Promise<readonly Secret[]> {
  const { clock, events, logger, secrets } = ports;
  // Old versions of the API accepted entries without a name.
  const given = (pod.spec?.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
  if (given.length === 0) return [];
  // A pod may name one secret thousands of times, and each is parsed.
  const names = [...new Set(given)];
  const retrieve = async (name: string): Promise<Secret | undefined> => {
    if (secrets === undefined) return undefined;
    try {
      return await withDeadline(clock, PULL_SECRET_TIMEOUT_MS, signal, (deadline) =>
        secrets.secret(pod, name, deadline),
      );
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn('cannot retrieve a pull secret; the pull may not succeed without it', {
        pod: formatPod(pod),
        secret: name,
        error: errorMessage(error),
      });
      return undefined;
    }
  };
  const found = await Promise.all(names.map(retrieve));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
    events.event(podEventObject(pod), 'Warning', 'FailedToRetrieveImagePullSecret', message);
  }
  return found.filter((secret) => secret !== undefined);
}

/** Bounds for the pull secrets of a pod, which are read for each pull: a pod may name thousands of them, and a registry without a credential takes ten bytes. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/**
 * Returns the keyring entries of pull secrets. Secrets of another type, or without the key of their type, have none.
 *
 * @throws {@link PullSecretError}
 */
export function pullSecretEntries(secrets: readonly Secret[]): readonly KeyringEntry<PullCredential>[] {
  const entries: KeyringEntry<PullCredential>[] = [];
  let length = 0;
  for (const secret of secrets) {
    const [key, parse] = formats[secret.type ?? ''] ?? [];
    const data = key === undefined ? '' : (secret.data?.[key] ?? '');
    if (key === undefined || parse === undefined || data === '') continue;
    const { uid = '', namespace = '', name = '' } = secret.metadata ?? {};
    length += data.length;
    if (length > MAX_LENGTH)
      throw new PullSecretError(`the image pull secrets of the pod have more than ${String(MAX_LENGTH)} characters`);
    let parsed: readonly DockerConfigEntry[];
    try {
      parsed = parse(Buffer.from(data, 'base64').toString());
    } catch (error) {
      if (!(error instanceof DockerConfigError)) throw error;
      throw new PullSecretError(
        `image pull secret ${namespace}/${name}: ${key} cannot be read: ${error.message}; recreate the secret with kubectl create secret docker-registry`,
      );
    }
    if (entries.length + parsed.length > MAX_ENTRIES)
      throw new PullSecretError(`the image pull secrets of the pod have more than ${String(MAX_ENTRIES)} registries`);
    for (const { registry, credential: auth } of parsed) {
      const origin = { kind: 'secret' as const, uid, namespace, name, credentialHash: hashRegistryAuth(auth) };
      entries.push({ registry, credential: { auth, origin } });
    }
  }
  return entries;
}

/** Registries with a line each: authors of pods may write thousands into a secret, which is read for each pull. */
const MAX_WARNINGS = 10;

/** Logs the registries that a keyring ignores because they are invalid. */
export function warnOfInvalidRegistries(logger: Logger, source: string, registries: readonly string[]): void {
  for (const registry of registries.slice(0, MAX_WARNINGS)) {
    logger.warn('a registry in a docker config is not a host with an optional port and path, and is ignored', {
      source,
      registry: shorten(printableRegistry(registry)),
    });
  }
  if (registries.length > MAX_WARNINGS) {
    const fields = { source, count: registries.length - MAX_WARNINGS };
    logger.warn('further registries in a docker config are ignored for the same reason', fields);
  }
}
