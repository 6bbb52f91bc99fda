import type { AgentModule } from '@rxlet/agent-api';
import { kubeletApi, type SharedPort } from '@rxlet/kubelet-server';

/** Thousands of registries would be most of the memory of the process. */
const NO_METRICS = { contentType: 'text/plain; version=0.0.4', text: '# the agents of a fleet record no metrics\n' };
const CACHE_MS = { cacheTtlMs: 120_000 };

/** Returns the module that serves a node's API, with the access rules of nodes in most clusters: client certificates, tokens, and permissions of the API server. */
export function nodeApi(sharedPort: SharedPort, startTimeMs: number): AgentModule {
  return kubeletApi({
    sharedPort,
    port: sharedPort.port,
    address: '',
    readOnlyPort: 0,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 0,
    tls: {},
    authentication: { x509: {}, webhook: { enabled: true, ...CACHE_MS }, anonymous: { enabled: false } },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTtlMs: 300_000, cacheUnauthorizedTtlMs: 30_000 } },
    isFineGrained: true,
    switches: { enableSystemLogHandler: false, enableProfilingHandler: false, enableCheckpoint: false },
    content: { startTimeMs, version: '1.36', metrics: async () => NO_METRICS },
  });
}
