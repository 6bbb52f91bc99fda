import { createHash } from 'node:crypto';
import type { CredentialOrigin, PullCredential } from '@rxlet/agent-api/images';
import type { ServiceAccountTokens } from '@rxlet/agent-api/kube';
import { type Clock, errorMessage, type Logger, type Semaphore, withDeadline } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';
import type { CredentialProviderConfig, TokenAttributes } from './credential-provider-config.ts';
import { hide } from './hidden.ts';
import type { KeyringEntry } from './keyring.ts';
import { createProviderCache } from './provider-cache.ts';
import type { ProviderMetrics } from './provider-metrics.ts';
import type { ProviderProcesses } from './provider-processes.ts';
import {
  CredentialProviderError,
  encodeProviderRequest,
  parseProviderResponse,
  type ProviderResponse,
  secretsOf,
} from './provider-response.ts';
import { redactText } from './redact-text.ts';
import { parseRegistryPattern } from './registry-pattern.ts';
import { parseRegistryLocation } from './registry-url.ts';
import { createSingleFlight } from './single-flight.ts';

/** Timeout after which the program is killed. */
export const PROVIDER_TIMEOUT_MS = 60_000;
/** Timeout of the API server; without its answer the provider is not run. */
const API_TIMEOUT_MS = 10_000;
const MAX_SHOWN_STDERR = 300;

/** Ports of {@link createCredentialProvider}. */
export interface CredentialProviderPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ProviderMetrics;
  readonly processes: ProviderProcesses;
  /** Limits the programs that run at the same time. */
  readonly permits: Semaphore;
  /** Needed by providers with `tokenAttributes`. */
  readonly tokens?: ServiceAccountTokens | undefined;
}

/** Runs one credential provider. */
export interface CredentialProvider {
  /**
   * Returns the credentials for `image`, a repository with its registry and without tag; none if the provider is not for such images or fails. Rejects only
   * when the signal aborts.
   */
  provide(pod: Pod, image: string, signal: AbortSignal): Promise<readonly KeyringEntry<PullCredential>[]>;
}

/** Identity on whose behalf a provider runs: the node, or a service account. */
interface ProviderIdentity {
  /** Cache key: equal for identities that may share answers. */
  readonly key: string;
  readonly origin: CredentialOrigin;
  readonly annotations: Readonly<Record<string, string>>;
  /** Absent: the request is without a token. */
  readonly token?: (signal: AbortSignal) => Promise<string>;
}

const node: ProviderIdentity = { key: '', origin: { kind: 'node' }, annotations: {} };

/** Creates a {@link CredentialProvider}. Nothing runs until the first request. */
export function createCredentialProvider(
  ports: CredentialProviderPorts,
  config: CredentialProviderConfig,
): CredentialProvider {
  const { clock, metrics, processes, permits, tokens } = ports;
  const logger = ports.logger.child({ credentialProvider: config.name });
  const patterns = config.matchImages.flatMap((image) => parseRegistryPattern(image) ?? []);
  const cache = createProviderCache<readonly KeyringEntry<PullCredential>[]>(clock);
  const flights = createSingleFlight<readonly KeyringEntry<PullCredential>[]>(clock);

  /** Runs the program once. */
  const run = async (image: string, identity: ProviderIdentity, signal: AbortSignal): Promise<ProviderResponse> => {
    const token = await identity.token?.(signal);
    const account = token === undefined ? undefined : { token, annotations: identity.annotations };
    const stdin = encodeProviderRequest(config.apiVersion, image, account);
    const startMs = clock.monotonicNow();
    let failed = true;
    try {
      const { name, args, env } = config;
      const result = await withDeadline(clock, PROVIDER_TIMEOUT_MS, signal, (deadline) =>
        processes.run(hide({ name, args, env }, { stdin }), deadline),
      );
      if (result.exitCode !== 0) {
        const ending = result.exitCode === undefined ? 'was killed' : `exited with ${String(result.exitCode)}`;
        const secrets = [token ?? '', ...env.map(({ value }) => value), ...secretsOf(result.stdout)];
        const stderr = redactText(result.stderr, secrets, MAX_SHOWN_STDERR);
        throw new CredentialProviderError('ProgramFailed', `it ${ending}${stderr === '' ? '' : `: ${stderr}`}`);
      }
      const response = parseProviderResponse(config.apiVersion, result.stdout);
      if (
        token !== undefined &&
        config.tokenAttributes?.cacheType !== 'Token' &&
        response.entries.some(({ credential }) => credential.password === token)
      ) {
        const problem = 'its answer has the service account token as a password, which needs cacheType Token';
        throw new CredentialProviderError('InvalidResponse', problem);
      }
      failed = false;
      return response;
    } finally {
      // A cancelled run is not a failure of the provider.
      metrics.ran(config.name, clock.monotonicNow() - startMs, failed && !signal.aborted);
    }
  };

  const requestCredentials = async (
    image: string,
    identity: ProviderIdentity,
    signal: AbortSignal,
  ): Promise<readonly KeyringEntry<PullCredential>[]> => {
    const response = await permits.run(() => run(image, identity, signal), signal);
    const entries = response.entries.map(({ registry, credential: auth }) => ({
      registry,
      credential: { auth, origin: identity.origin },
    }));
    const durationMs = response.cacheDurationMs ?? config.defaultCacheDurationMs;
    cache.keep(identity.key, image, response.cacheKeyType, entries, durationMs);
    return entries;
  };

  return {
    async provide(pod, image, signal) {
      signal.throwIfAborted();
      const location = parseRegistryLocation(image);
      if (location === undefined || !patterns.some((pattern) => pattern.matches(location))) return [];
      try {
        const { tokenAttributes } = config;
        const identity =
          tokenAttributes && tokens
            ? await withDeadline(clock, API_TIMEOUT_MS, signal, (deadline) =>
                findIdentity(tokenAttributes, tokens, pod, logger, deadline),
              )
            : node;
        if (identity === undefined) return [];
        const flight = JSON.stringify([identity.key, image]);
        return (
          cache.find(identity.key, image) ??
          (await flights.run(flight, (shared) => requestCredentials(image, identity, shared), signal))
        );
      } catch (error) {
        signal.throwIfAborted();
        logger.warn('the credential provider has no credentials for an image, as it failed', {
          pod: formatPod(pod),
          image,
          error: errorMessage(error),
        });
        return [];
      }
    },
  };
}

/** Returns the pod's service account, if the provider may act for it; `undefined` when the provider must not run. */
async function findIdentity(
  attributes: TokenAttributes,
  tokens: ServiceAccountTokens,
  pod: Pod,
  logger: Logger,
  signal: AbortSignal,
): Promise<ProviderIdentity | undefined> {
  const { namespace = '', name: podName = '', uid: podUid = '' } = pod.metadata ?? {};
  const name = pod.spec?.serviceAccountName ?? '';
  if (name === '') return attributes.requireServiceAccount ? undefined : node;
  const { uid, annotations: all } = await tokens.serviceAccount(namespace, name, signal);
  const missing = attributes.requiredServiceAccountAnnotationKeys.filter((key) => all[key] === undefined);
  if (missing.length > 0) {
    const fields = { pod: formatPod(pod), serviceAccount: name, annotations: missing };
    logger.debug('the credential provider is not asked: the service account lacks annotations', fields);
    return undefined;
  }
  const keys = [...attributes.requiredServiceAccountAnnotationKeys, ...attributes.optionalServiceAccountAnnotationKeys];
  const chosen = keys.sort().flatMap((key): [string, string][] => (all[key] === undefined ? [] : [[key, all[key]]]));
  const token = (tokenSignal: AbortSignal): Promise<string> =>
    tokens.token(
      {
        namespace,
        serviceAccountName: name,
        serviceAccountUid: uid,
        audience: attributes.serviceAccountTokenAudience,
        podName,
        podUid,
      },
      tokenSignal,
    );
  const account = {
    origin: { kind: 'serviceAccount', uid, namespace, name },
    annotations: Object.fromEntries(chosen),
  } as const;
  const owner = [namespace, name, uid, ...chosen];
  if (attributes.cacheType === 'ServiceAccount') return { ...account, key: JSON.stringify(owner), token };
  // Answers for one token must not be used with another.
  const current = await token(signal);
  const hash = createHash('sha256').update(current).digest('hex');
  return { ...account, key: JSON.stringify([...owner, hash]), token: async () => current };
}
