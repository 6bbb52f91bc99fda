import { type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { follow } from '@rxlet/component-base/streams';
import { type ConnectionState, createCriClient, CriError, withStreamedLists } from '@rxlet/cri-client';
import { containerdHints, containerdPullProgress } from '@rxlet/cri-client/containerd';
import { containerEventHints } from '@rxlet/pleg';
import { ConfigError } from './config/config-error.ts';
import type { AgentSettings } from './config/load-settings.ts';
import type { RuntimeConnection } from './runtime-connection.ts';

/** Timeout of the first calls. It is shorter than that of later calls, so that a runtime that hangs is reported soon. */
const FIRST_CALL_TIMEOUT_MS = 15_000;

/**
 * Connects to the configured runtime and calls its Version.
 *
 * @throws ConfigError when no runtime was configured and none answers at the default endpoint
 * @throws CriError when the chosen one does not answer
 */
export async function connectRuntime(
  { runtime, options, node, loaded }: Pick<AgentSettings, 'runtime' | 'options' | 'node' | 'loaded'>,
  logger: Logger,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<RuntimeConnection> {
  const ports = { clock: systemClock, random: systemRandom, metrics };
  if (runtime.kind === 'fake') {
    // Loaded only when it is wanted: on a node it would be memory for nothing.
    const { createFakeRuntime, createFileLogs } = await import('@rxlet/fake-cri');
    const { createShadowHostFiles } = await import('@rxlet/fake-cri/files');
    const hostFiles = createShadowHostFiles(node.rootDirectory);
    const files = { logs: createFileLogs(logger, node.podLogsDirectory), hostFiles };
    // Probes connect to the ports of pods.
    const fake = createFakeRuntime({ ...ports, ...files, logger }, { podNetwork: 'loopback' });
    return { ...fake, hints: [containerEventHints(fake.runtime)], hostPaths: hostFiles };
  }
  if (runtime.kind === 'docker') {
    // Loaded only when it is wanted, as above.
    const { connectDocker } = await import('./connect-docker.ts');
    return connectDocker(runtime, logger, signal);
  }
  const client = createCriClient(ports, {
    endpoint: runtime.endpoint,
    imageEndpoint: runtime.imageEndpoint,
    timeoutMs: options.requestTimeoutMs,
  });
  try {
    await client.runtime.version({ version: '0.1.0' }, { signal, timeoutMs: FIRST_CALL_TIMEOUT_MS });
    if (runtime.imageEndpoint !== undefined) {
      await client.images.listImages(
        { filter: { image: { image: 'none' } } },
        { signal, timeoutMs: FIRST_CALL_TIMEOUT_MS },
      );
    }
    // Subscribed only now: failures before this point are reported by the error.
    follow(client.state$, {
      task: 'logging the state of the connection to the runtime',
      logger,
      next: (state) => logState(state, runtime.endpoint, logger),
    });
    const socketPath = pathOf(runtime.endpoint);
    const hints = [containerdHints({ clock: systemClock }, { socketPath }), containerEventHints(client.runtime)];
    const imageSocketPath = pathOf(runtime.imageEndpoint ?? runtime.endpoint);
    const services = loaded.gates.isEnabled('CRIListStreaming')
      ? withStreamedLists(client, options.requestTimeoutMs)
      : client;
    return {
      ...client,
      runtime: services.runtime,
      images: services.images,
      hints,
      pullProgress: containerdPullProgress({ logger }, { socketPath: imageSocketPath }),
    };
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

function pathOf(endpoint: string): string {
  return endpoint.replace(/^unix:\/\//, '');
}

function logState(state: ConnectionState, endpoint: string, logger: Logger): void {
  if (state.kind === 'ready') logger.info('connected to the container runtime', { endpoint });
  else if (state.kind === 'unavailable') logger.warn(state.error.message, { endpoint });
}
