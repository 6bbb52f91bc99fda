import {
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
  switchSetting,
} from '@rxlet/agent-api/configuration';
import { kubeletApi } from './kubelet-api-module.ts';
import type { KubeletApiOptions } from './kubelet-api-options.ts';
import { localSocket, type LocalSocketOptions } from './local-socket-module.ts';

/** Options of the module `kubeletApi`, without the content of endpoints that only the program has. */
export type KubeletApiChoices = Omit<KubeletApiOptions, 'content'>;

/** Setting `--permit-streams-by-get`. */
const permitStreamsByGet = switchSetting(
  'permitStreamsByGet',
  'let clients that may only get nodes/proxy run commands in containers over WebSockets, as the kubelet does',
);

/** Configuration of the module `localSocket`, which programs list with the path of their socket. */
export const localSocketConfiguration: ModuleConfiguration<LocalSocketOptions> = {
  name: 'local-socket',
  options: () => undefined,
  module: localSocket,
};

/** Configuration of the module `kubeletApi`. Programs list the module with {@link toKubeletApi} and the content of its endpoints. */
export const kubeletApiConfiguration: ModuleConfiguration<KubeletApiOptions> = {
  name: 'kubelet-api',
  gates: ['ContainerCheckpoint', 'KubeletFineGrainedAuthz'],
  fields: [
    'address',
    'authentication.anonymous.enabled',
    'authentication.webhook.cacheTTL',
    'authentication.webhook.enabled',
    'authentication.x509.clientCAFile',
    'authorization.mode',
    'authorization.webhook.cacheAuthorizedTTL',
    'authorization.webhook.cacheUnauthorizedTTL',
    'enableDebugFlagsHandler',
    'enableDebuggingHandlers',
    'enableProfilingHandler',
    'enableServer',
    'enableSystemLogHandler',
    'enableSystemLogQuery',
    'healthzBindAddress',
    'healthzPort',
    'port',
    'readOnlyPort',
    'tlsCipherSuites',
    'tlsCurvePreferences',
    'tlsMinVersion',
  ],
  help: [
    { flag: 'port', argument: 'port', text: "port of the kubelet's API over HTTPS (default: 10250; see below)" },
    {
      flag: 'read-only-port',
      argument: 'port',
      text: "port of the API's read-only part, without authentication (default: none)",
    },
    { flag: 'healthz-port', argument: 'port', text: 'port of /healthz on 127.0.0.1 (default: 10248; see below)' },
    { flag: 'address', argument: 'address', text: 'address of the first two (default: 0.0.0.0)' },
  ],
  withoutEffect: {
    enableContentionProfiling: 'a program of one thread has no locks to wait for',
    showHiddenMetricsForVersion: 'no metric is hidden',
    streamingConnectionIdleTimeout: "no kubelet reads it: the runtime's streaming server closes idle streams",
  },
  settings: [permitStreamsByGet],
  options: () => undefined,
  module: kubeletApi,
};

/**
 * Returns the options of the module `kubeletApi`; `undefined` when the server is switched off.
 *
 * @throws KubeletConfigurationError for an unknown mode of authorization
 */
export function toKubeletApi({
  configuration,
  gates,
  settings,
}: Pick<NodeConfiguration, 'configuration' | 'gates' | 'settings'>): KubeletApiChoices | undefined {
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
    tls: {
      tlsMinVersion: configuration.tlsMinVersion,
      tlsCipherSuites: configuration.tlsCipherSuites,
      tlsCurvePreferences: configuration.tlsCurvePreferences,
    },
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
    permitsStreamsByGet: settings.get(permitStreamsByGet) ?? false,
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
