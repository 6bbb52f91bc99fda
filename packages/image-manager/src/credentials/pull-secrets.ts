import { type Clock, errorMessage, type EventRecorder, type Logger, withDeadline } from '@rxlet/component-base';
import type { Pod, Secret } from '@rxlet/kube-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import {
  type DockerConfigEntry,
  DockerConfigError,
  parseDockercfg,
  parseDockerConfigJson,
  printableRegistry,
} from './docker-config.ts';
import type { KeyringEntry } from './keyring.ts';
import type { PullCredential } from './pull-credential.ts';
import { hashRegistryAuth } from './registry-auth.ts';

/** Where pull secrets come from: an API server, through whatever watches or caches there are. */
export interface PullSecretSource {
  /** The secret; `undefined` when there is none. A rejection counts as none, and is logged. */
  secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined>;
}

/** A pull secret is there, but what it holds is no docker config: the pull fails, as a kubelet's does. */
export class PullSecretError extends Error {
  override readonly name = 'PullSecretError';
  readonly reason = 'InvalidPullSecret';
}

/** A secret that does not come within this time counts as missing. */
export const PULL_SECRET_TIMEOUT_MS = 10_000;

/** The types of pull secrets: the key that holds the docker config, and how it reads. */
const formats: Readonly<Record<string, readonly [key: string, parse: (text: string) => readonly DockerConfigEntry[]]>> =
  {
    'kubernetes.io/dockerconfigjson': ['.dockerconfigjson', parseDockerConfigJson],
    'kubernetes.io/dockercfg': ['.dockercfg', parseDockercfg],
  };

/** What {@link retrievePullSecrets} needs. */
export interface PullSecretPorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger: Logger;
  /** Absent: there is nothing that has secrets, and each is missing. */
  readonly secrets?: PullSecretSource | undefined;
}

/**
 * The pull secrets of a pod, in the order of `spec.imagePullSecrets`. Those that cannot be had are told of in one event on the pod, and the pull is
 * tried without them. Rejects only when the signal aborts.
 */
export async function retrievePullSecrets(
  ports: PullSecretPorts,
  pod: Pod,
  signal?: AbortSignal,
): Promise<readonly Secret[]> {
  const { clock, events, logger, secrets } = ports;
  const namespace = pod.metadata?.namespace ?? '';
  // The API once let entries without a name through.
  const names = (pod.spec?.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
  if (names.length === 0) return [];
  const retrieve = async (name: string): Promise<Secret | undefined> => {
    if (secrets === undefined) return undefined;
    try {
      return await withDeadline(clock, PULL_SECRET_TIMEOUT_MS, signal, (deadline) =>
        secrets.secret(namespace, name, deadline),
      );
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn('a pull secret could not be retrieved; the pull may not succeed without it', {
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

/**
 * What pull secrets hold, to be put into one keyring. Secrets of another type, or without the key of their type, hold nothing.
 *
 * @throws {@link PullSecretError}
 */
export function pullSecretEntries(secrets: readonly Secret[]): readonly KeyringEntry<PullCredential>[] {
  return secrets.flatMap((secret) => {
    const [key, parse] = formats[secret.type ?? ''] ?? [];
    const data = key === undefined ? '' : (secret.data?.[key] ?? '');
    if (key === undefined || parse === undefined || data === '') return [];
    const { uid = '', namespace = '', name = '' } = secret.metadata ?? {};
    try {
      return parse(Buffer.from(data, 'base64').toString()).map(({ registry, credential: auth }) => ({
        registry,
        credential: {
          auth,
          origin: { kind: 'secret' as const, uid, namespace, name, credentialHash: hashRegistryAuth(auth) },
        },
      }));
    } catch (error) {
      if (!(error instanceof DockerConfigError)) throw error;
      throw new PullSecretError(
        `image pull secret ${namespace}/${name}: ${key} cannot be read: ${error.message}; create the secret anew with kubectl create secret docker-registry`,
      );
    }
  });
}

/** Tells of the registries that a keyring leaves out because they are none. */
export function warnOfInvalidRegistries(logger: Logger, source: string, registries: readonly string[]): void {
  for (const registry of registries) {
    logger.warn('a registry in a docker config is not a host with an optional port and path, and is ignored', {
      source,
      registry: printableRegistry(registry),
    });
  }
}
