import { encodeConfiguration, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import type { KubeletApiOptions, ServerContent } from '@rxlet/kubelet-server';

/** Options of the module `kubeletApi`, without the content of endpoints that only the program has. */
export type KubeletApiChoices = Omit<KubeletApiOptions, 'content'>;

/** Version of Kubernetes whose kubelet the agent is like. */
const KUBERNETES_VERSION = '1.36';

/** Flag of `staticPodURLHeader`. */
const HEADER_FLAG = 'manifest-url-header';
/** Text in the place of a secret, as in a kubelet's log. */
const MASKED = '<masked>';

type ApiConfiguration = Pick<LoadedConfiguration, 'configuration' | 'gates'>;

/**
 * Returns the options of the module `kubeletApi`; `undefined` when the server is switched off.
 *
 * @throws KubeletConfigurationError for an unknown mode of authorization
 */
export function toKubeletApi({ configuration, gates }: ApiConfiguration): KubeletApiChoices | undefined {
  const {
    enableServer,
    address = '0.0.0.0',
    port = 10_250,
    readOnlyPort = 0,
    authentication,
    authorization,
  } = configuration;
  if (enableServer === false) return undefined;
  const { mode = 'Webhook', webhook: reviews } = authorization ?? {};
  if (mode !== 'Webhook' && mode !== 'AlwaysAllow') {
    throw new KubeletConfigurationError('start', [`unknown authorization mode ${mode}`]);
  }
  return {
    address,
    port,
    readOnlyPort,
    healthzBindAddress: configuration.healthzBindAddress ?? '127.0.0.1',
    healthzPort: configuration.healthzPort ?? 10_248,
    tls: { tlsMinVersion: configuration.tlsMinVersion, tlsCipherSuites: configuration.tlsCipherSuites },
    authentication: {
      // An empty name is none, as in the kubelet.
      x509: { clientCaFile: authentication?.x509?.clientCAFile || undefined },
      webhook: {
        enabled: authentication?.webhook?.enabled ?? true,
        cacheTtlMs: authentication?.webhook?.cacheTTL ?? 120_000,
      },
      anonymous: { enabled: authentication?.anonymous?.enabled ?? false },
    },
    authorization: {
      mode,
      webhook: {
        cacheAuthorizedTtlMs: reviews?.cacheAuthorizedTTL ?? 300_000,
        cacheUnauthorizedTtlMs: reviews?.cacheUnauthorizedTTL ?? 30_000,
      },
    },
    isFineGrained: gates.isEnabled('KubeletFineGrainedAuthz'),
    switches: {
      enableDebuggingHandlers: configuration.enableDebuggingHandlers,
      enableSystemLogHandler: configuration.enableSystemLogHandler,
      enableSystemLogQuery: configuration.enableSystemLogQuery,
      enableProfilingHandler: configuration.enableProfilingHandler,
      enableDebugFlagsHandler: configuration.enableDebugFlagsHandler,
      enableCheckpoint: gates.isEnabled('ContainerCheckpoint'),
    },
  };
}

/** Returns the configuration and the flags for the endpoints that show them, without the values of the headers of the manifest URL: they may be credentials. */
export function toServerContent({
  configuration,
  flags,
}: Pick<LoadedConfiguration, 'configuration' | 'flags'>): Required<
  Pick<ServerContent, 'configuration' | 'flags' | 'version'>
> {
  const { staticPodURLHeader } = configuration;
  const headers = Object.fromEntries(Object.keys(staticPodURLHeader ?? {}).map((name) => [name, [MASKED]]));
  const encoded = encodeConfiguration({ ...configuration, ...(staticPodURLHeader && { staticPodURLHeader: headers }) });
  const given = Object.fromEntries(
    [...flags].map(([name, value]) => [name, name === HEADER_FLAG ? MASKED : flagText(value)]),
  );
  return { configuration: () => encoded, flags: () => given, version: KUBERNETES_VERSION };
}

function flagText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
