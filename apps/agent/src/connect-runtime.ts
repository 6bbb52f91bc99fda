import { type Logger, type Metrics, systemClock, systemRandom } from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import { type ConnectionState, createCriClient, CriError } from '@rxlet/cri-client';
import { ConfigError } from './config/config-error.ts';
import type { AgentSettings } from './config/settings.ts';

/** The ports of the chosen runtime. */
export interface RuntimeConnection extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/**
 * Connects to the runtime that was chosen, and asks it for its version.
 *
 * @throws ConfigError when nobody chose one and there is none at the usual place
 * @throws CriError when the chosen one does not answer
 */
export async function connectRuntime(
  { runtime, kubelet }: AgentSettings,
  logger: Logger,
  metrics: Metrics,
): Promise<RuntimeConnection> {
  const ports = { clock: systemClock, random: systemRandom, metrics };
  if (runtime.kind === 'fake') {
    // Loaded only when it is wanted: on a node it would be memory for nothing.
    const { createFakeRuntime } = await import('@rxlet/fake-cri');
    return createFakeRuntime({ ...ports, logger });
  }
  const client = createCriClient(ports, {
    endpoint: runtime.endpoint,
    ...(runtime.imageEndpoint !== undefined && { imageEndpoint: runtime.imageEndpoint }),
    ...(kubelet.runtimeRequestTimeout !== undefined && { timeoutMs: kubelet.runtimeRequestTimeout }),
  });
  try {
    await client.runtime.version({ version: '0.1.0' });
    if (runtime.imageEndpoint !== undefined) await client.images.listImages({ filter: { image: { image: 'none' } } });
    // From here on; what goes wrong before is told once, by the error.
    client.state$.subscribe((state) => logState(state, runtime.endpoint, logger));
    return client;
  } catch (error) {
    await client[Symbol.asyncDispose]();
    if (!runtime.isDefault || !(error instanceof CriError)) throw error;
    throw new ConfigError(
      `no container runtime was named, and there is none at the usual place (${error.message}). ` +
        'Name one with --container-runtime-endpoint unix:///path/to.sock, or try rxlet out with --fake-runtime.',
      { cause: error },
    );
  }
}

function logState(state: ConnectionState, endpoint: string, logger: Logger): void {
  if (state.kind === 'ready') logger.info('connected to the container runtime', { endpoint });
  else if (state.kind === 'unavailable') logger.warn(state.error.message, { endpoint });
}
