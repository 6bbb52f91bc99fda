import type { CredentialSource, PullCredential } from '@rxlet/agent-api/images';
import type { PodObjects, ServiceAccountTokens } from '@rxlet/agent-api/kube';
import { type Clock, createLifetime, createSemaphore, type Logger, noopLogger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { HostFiles } from '@rxlet/node-files';
import { createCredentialProvider } from './credential-provider.ts';
import { type CredentialProviderConfig, CredentialProviderConfigError } from './credential-provider-config.ts';
import { createKeyring } from './keyring.ts';
import { createNodeDockerConfig, type DockerConfigPlaces } from './node-docker-config.ts';
import { createProviderMetrics } from './provider-metrics.ts';
import type { ProviderProcesses } from './provider-processes.ts';
import { pullSecretEntries, retrievePullSecrets, warnOfInvalidRegistries } from './pull-secrets.ts';

/** Ports of {@link createCredentialSource}. */
export interface CredentialSourcePorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Default: every pull secret is missing. */
  readonly secrets?: Pick<PodObjects, 'secret'> | undefined;
  /** Needed for `dockerConfig`. Default: the node has no docker config. */
  readonly files?: Pick<HostFiles, 'read'> | undefined;
  /** Needed when there are `providers`. */
  readonly processes?: ProviderProcesses | undefined;
  /** Needed when a provider has `tokenAttributes`. */
  readonly serviceAccountTokens?: ServiceAccountTokens | undefined;
}

/** Options of {@link createCredentialSource}. */
export interface CredentialSourceOptions {
  /** Directories of the node's docker config. Default: the node has no docker config. */
  readonly dockerConfig?: DockerConfigPlaces | undefined;
  /** See `parseCredentialProviderConfig`. */
  readonly providers?: readonly CredentialProviderConfig[] | undefined;
  /** Hash of the files that `providers` come from, e.g. `sha256:…`, for a metric. */
  readonly providersHash?: string | undefined;
}

/** Maximum number of credential provider programs that run at the same time. */
const MAX_RUNNING_PROVIDERS = 10;

/**
 * Creates the {@link CredentialSource} of a node agent. Credentials are in this order, and within each store those of the most specific registry first: the
 * pod's pull secrets, the node's docker config, the credential providers. Disposal kills running programs.
 *
 * @throws {@link CredentialProviderConfigError} (`TokensUnavailable`) when a provider needs tokens of service accounts without a port for them.
 */
export function createCredentialSource(
  ports: CredentialSourcePorts,
  options: CredentialSourceOptions = {},
): CredentialSource & AsyncDisposable {
  const { clock, events, logger = noopLogger, secrets, files, processes, serviceAccountTokens: tokens } = ports;
  const { dockerConfig, providers: configs = [], providersHash } = options;
  for (const { name, tokenAttributes } of configs) {
    if (tokenAttributes === undefined || tokens !== undefined) continue;
    throw new CredentialProviderConfigError(
      'TokensUnavailable',
      `the credential provider ${JSON.stringify(name)} has tokenAttributes, and there is no API server for service account tokens; remove its tokenAttributes, or the provider`,
    );
  }
  if (configs.length > 0 && processes === undefined) {
    throw new TypeError('credential providers need the port `processes`');
  }
  const lifetime = createLifetime();
  const metrics = createProviderMetrics(ports.metrics);
  if (providersHash !== undefined) metrics.configured(providersHash);
  const node = files && dockerConfig && createNodeDockerConfig({ clock, files, logger }, dockerConfig);
  const permits = createSemaphore(MAX_RUNNING_PROVIDERS);
  const providers =
    processes === undefined
      ? []
      : configs.map((config) =>
          createCredentialProvider({ clock, logger, metrics, processes, permits, tokens }, config),
        );

  const find: CredentialSource['credentialsFor'] = async ({ pod, repository, signal = lifetime.signal }) => {
    const pullSecrets = pullSecretEntries(await retrievePullSecrets({ clock, events, logger, secrets }, pod, signal));
    const [nodeKeyring, ...provided] = await Promise.all([
      node?.keyring(signal),
      ...providers.map((provider) => provider.provide(pod, repository, signal)),
    ]);
    const lookup = (place: string, entries: typeof pullSecrets): readonly PullCredential[] => {
      const keyring = createKeyring(entries);
      warnOfInvalidRegistries(logger, place, keyring.invalidRegistries);
      return keyring.lookup(repository);
    };
    return [
      ...lookup('image pull secrets', pullSecrets),
      ...(nodeKeyring?.lookup(repository) ?? []),
      ...lookup('credential providers', provided.flat()),
    ];
  };

  return {
    async credentialsFor(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, lifetime.signal]) : lifetime.signal;
      signal.throwIfAborted();
      return lifetime.track(find({ ...request, signal }));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
