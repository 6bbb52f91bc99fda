import { type Logger, type Metrics, systemClock, systemRandom } from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import { type ConnectionState, createCriClient, CriError } from '@rxlet/cri-client';
import { containerdHints } from '@rxlet/containerd-events';
import { containerEventHints, firstSupported, type HintSource } from '@rxlet/pleg';
import { ConfigError } from './config/config-error.ts';
import type { AgentSettings } from './config/settings.ts';

/** The ports of the chosen runtime. */
export interface RuntimeConnection extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly hints: HintSource;
}

/** A runtime that hangs is told sooner at the start than later, when a slow answer may be worth waiting for. */
const FIRST_CALL_TIMEOUT_MS = 15_000;

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
  signal: AbortSignal,
): Promise<RuntimeConnection> {
  const ports = { clock: systemClock, random: systemRandom, metrics };
  if (runtime.kind === 'fake') {
    // Loaded only when it is wanted: on a node it would be memory for nothing.
    const { createFakeRuntime } = await import('@rxlet/fake-cri');
    const fake = createFakeRuntime({ ...ports, logger });
    return { ...fake, hints: containerEventHints(fake.runtime) };
  }
  const client = createCriClient(ports, {
    endpoint: runtime.endpoint,
    imageEndpoint: runtime.imageEndpoint,
    timeoutMs: kubelet.runtimeRequestTimeout,
  });
  try {
    await client.runtime.version({ version: '0.1.0' }, { signal, timeoutMs: FIRST_CALL_TIMEOUT_MS });
    if (runtime.imageEndpoint !== undefined) {
      await client.images.listImages(
        { filter: { image: { image: 'none' } } },
        { signal, timeoutMs: FIRST_CALL_TIMEOUT_MS },
      );
    }
    // From here on; what goes wrong before is told once, by the error.
    client.state$.subscribe((state) => logState(state, runtime.endpoint, logger));
    const socketPath = runtime.endpoint.replace(/^unix:\/\//, '');
    const hints = firstSupported(containerEventHints(client.runtime), containerdHints({ socketPath }));
    return { ...client, hints };
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
