import {
  type Clock,
  createLifetime,
  createSemaphore,
  type EventRecorder,
  type Logger,
  type Metrics,
  noopLogger,
} from '@rxlet/component-base';
import { parseImageReference } from '../image-reference.ts';
import type { ConfigFiles } from './config-files.ts';
import { createCredentialProvider } from './credential-provider.ts';
import { type CredentialProviderConfig, CredentialProviderConfigError } from './credential-provider-config.ts';
import { createKeyring } from './keyring.ts';
import { createNodeDockerConfig, type DockerConfigPlaces } from './node-docker-config.ts';
import { createProviderMetrics } from './provider-metrics.ts';
import type { ProviderProcesses } from './provider-processes.ts';
import type { CredentialSource, PullCredential } from './pull-credential.ts';
import {
  pullSecretEntries,
  type PullSecretSource,
  retrievePullSecrets,
  warnOfInvalidRegistries,
} from './pull-secrets.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

/** What {@link createCredentialSource} needs. */
export interface CredentialSourcePorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Absent: every pull secret is missing. */
  readonly secrets?: PullSecretSource | undefined;
  /** Absent: the node has no docker config. */
  readonly files?: ConfigFiles | undefined;
  /** Needed when there are `providers`. */
  readonly processes?: ProviderProcesses | undefined;
  /** Needed when a provider has `tokenAttributes`. */
  readonly serviceAccountTokens?: ServiceAccountTokens | undefined;
}

/** Options of {@link createCredentialSource}. */
export interface CredentialSourceOptions {
  /** Where to look for the node's docker config. Absent: nowhere. */
  readonly dockerConfig?: DockerConfigPlaces | undefined;
  /** See `parseCredentialProviderConfig`. */
  readonly providers?: readonly CredentialProviderConfig[] | undefined;
  /** A hash of the files that `providers` come from, e.g. `sha256:…`, to be shown as a metric. */
  readonly providersHash?: string | undefined;
}

/** Programs of credential providers that may run at the same time. */
const MAX_RUNNING_PROVIDERS = 10;

/**
 * Creates the {@link CredentialSource} of a node agent. Credentials come in this order, and within each place those of the most specific registry
 * first: the pod's pull secrets, the node's docker config, the credential providers. Disposing it kills what runs.
 *
 * @throws {@link CredentialProviderConfigError} (`TokensUnavailable`) when a provider wants tokens of service accounts and there is no port for them.
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
      `the credential provider ${JSON.stringify(name)} has tokenAttributes, and there is no API server to ask for service account tokens; remove its tokenAttributes, or the provider`,
    );
  }
  if (configs.length > 0 && processes === undefined) {
    throw new TypeError('credential providers need the port `processes`');
  }
  const lifetime = createLifetime();
  const metrics = createProviderMetrics(ports.metrics);
  if (providersHash !== undefined) metrics.configured(providersHash);
  const node = files && dockerConfig && createNodeDockerConfig({ clock, files, logger }, dockerConfig);
  const places = createSemaphore(MAX_RUNNING_PROVIDERS);
  const providers =
    processes === undefined
      ? []
      : configs.map((config) =>
          createCredentialProvider({ clock, logger, metrics, processes, places, tokens }, config),
        );

  const find: CredentialSource['credentialsFor'] = async ({ pod, image, signal = lifetime.signal }) => {
    const { domain, path } = parseImageReference(image);
    const repository = `${domain}/${path}`;
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
