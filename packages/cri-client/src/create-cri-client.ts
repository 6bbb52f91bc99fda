import { type Clock, type Logger, noopLogger, type Random } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import {
  type CallOptions,
  DEFAULT_MAX_MESSAGE_BYTES,
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';
import type { Observable } from 'rxjs';
import { type Capabilities, probeUnknown, readCapabilities } from './capabilities.ts';
import { createConnection } from './connection.ts';
import type { ConnectionState } from './connection-state.ts';
import type { CriServices } from './metrics/cri-services.ts';
import { instrumented } from './metrics/instrumented.ts';
import { countLostConnections } from './metrics/lost-connections.ts';
import { type Endpoint, IMAGE_ROLE, parseEndpoint, RUNTIME_ROLE } from './endpoint.ts';
import { createNodeSocketProbe } from './node-socket-probe.ts';
import { timeoutOrNone } from './rpc-method.ts';
import { createRpcSupport, type CriApiVersion } from './rpc-support.ts';
import { createServicePort } from './service-port.ts';
import type { SocketProbe } from './socket-probe.ts';

/** Ports of {@link createCriClient}. */
export interface CriClientPorts {
  readonly clock: Clock;
  /** Random source that spreads the attempts to reconnect. */
  readonly random: Random;
  /** Logger of connections and of failures to connect, one line each. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Registry of `kubelet_runtime_operations_*` and of lost connections. Default: no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Examines the socket after a failed connection. Default: through the file system and a connection of its own. */
  readonly socketProbe?: SocketProbe | undefined;
}

/** Options of {@link createCriClient}. */
export interface CriClientOptions {
  /** `unix:///path` of the runtime's socket. The kubelet's `--container-runtime-endpoint`. */
  readonly endpoint: string;
  /** `unix:///path` of the image service's socket. Unset or empty: `endpoint`, over the same connection. The kubelet's `--image-service-endpoint`. */
  readonly imageEndpoint?: string | undefined;
  /**
   * Deadline of a unary call in milliseconds, `0` or `Infinity` for none; default two minutes. The kubelet's `runtimeRequestTimeout`. As there,
   * `RunPodSandbox` has twice that, `StopContainer` and `ExecSync` have it on top of the request's own timeout, `CheckpointContainer` has the request's
   * own, and `PullImage` has none.
   */
  readonly timeoutMs?: number | undefined;
  /** Largest message in either direction; default 16 MiB, as the kubelet has it. */
  readonly maxMessageBytes?: number | undefined;
  /** Timeout of the HTTP/2 handshake; default 5 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Pause before the second attempt to connect; default 100 ms. It grows by the factor 1.6 with each attempt. */
  readonly initialReconnectDelayMs?: number | undefined;
  /** Maximum pause between attempts to connect; default 3 s. */
  readonly maxReconnectDelayMs?: number | undefined;
  /**
   * Interval of pings on a connection with pending calls, which detect a runtime that hangs; default 6 min. Go's gRPC servers disconnect clients that ping
   * more often than every 5 min.
   */
  readonly keepAliveIntervalMs?: number | undefined;
}

/** Client of a container runtime and its image service over a unix socket. */
export interface CriClient extends AsyncDisposable {
  /** Its calls reject with `CriError`. */
  readonly runtime: RuntimeService;
  /** Its calls reject with `CriError`. */
  readonly images: ImageService;
  /** State of the connection to the runtime. Replays the current state, completes when the client is closed, never errors. */
  readonly state$: Observable<ConnectionState>;
  /**
   * Returns the CRI version in use; `undefined` until the runtime has answered a call on this connection. It is v1 if the runtime has it, else v1alpha2,
   * through the same ports.
   */
  apiVersion(): CriApiVersion | undefined;
  /** Returns the capabilities of the connected runtime that its answers have shown. A new connection starts with none. */
  capabilities(): Capabilities;
  /**
   * Probes the unknown RPCs that only read, with requests that match nothing, and returns `capabilities()`. Streams and RPCs with effects stay `unknown` until
   * they are used. Rejects with `CriError` if the runtime does not answer.
   */
  probeCapabilities(options?: CallOptions): Promise<Capabilities>;
}

/**
 * Creates a {@link CriClient}. The first call connects; from then on it reconnects by itself whenever the connection is lost. Without a connection calls fail
 * at once. Disposing it ends all calls as `canceled`.
 *
 * @throws CriError of kind `invalid-endpoint`
 *
 * @example
 * ```ts
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createCriClient } from '@rxlet/cri-client';
 *
 * const endpoint = 'unix:///run/containerd/containerd.sock';
 * await using client = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
 * const { containers } = await client.runtime.listContainers({}, { timeoutMs: 5000 });
 * ```
 */
export function createCriClient(ports: CriClientPorts, options: CriClientOptions): CriClient {
  const { clock, random, metrics } = ports;
  const logger = ports.logger ?? noopLogger;
  const socketProbe = ports.socketProbe ?? createNodeSocketProbe(clock);
  const maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  const timeoutMs = timeoutOrNone(options.timeoutMs ?? 120_000);

  const runtimeEndpoint = parseEndpoint(options.endpoint, RUNTIME_ROLE);
  const imageEndpoint = options.imageEndpoint ? parseEndpoint(options.imageEndpoint, IMAGE_ROLE) : runtimeEndpoint;
  for (const endpoint of new Set([runtimeEndpoint, imageEndpoint])) {
    if (!endpoint.deprecatedForm) continue;
    logger.warn(
      `the endpoint ${endpoint.path} has no scheme, which is deprecated; write ${endpoint.url} (${endpoint.role.flag})`,
    );
  }
  const connect = (endpoint: Endpoint) =>
    createConnection({ clock, random, logger, socketProbe }, endpoint, {
      maxMessageBytes,
      connectTimeoutMs: options.connectTimeoutMs ?? 5000,
      initialDelayMs: options.initialReconnectDelayMs ?? 100,
      maxDelayMs: options.maxReconnectDelayMs ?? 3000,
      keepAliveIntervalMs: options.keepAliveIntervalMs ?? 6 * 60_000,
    });
  const runtimeConnection = connect(runtimeEndpoint);
  const imageConnection = imageEndpoint.path === runtimeEndpoint.path ? runtimeConnection : connect(imageEndpoint);

  const runtimeSupport = createRpcSupport(() => runtimeConnection.epoch);
  const imageSupport = createRpcSupport(() => imageConnection.epoch);
  const shared = { clock, timeoutMs, maxMessageBytes };
  const runtime: unknown = createServicePort(RuntimeServiceDescriptor, {
    ...shared,
    connection: runtimeConnection,
    rpcSupport: runtimeSupport,
  });
  const images: unknown = createServicePort(ImageServiceDescriptor, {
    ...shared,
    connection: imageConnection,
    rpcSupport: imageSupport,
  });
  const capabilities = (): Capabilities => readCapabilities(runtimeSupport, imageSupport);
  const services: CriServices = { runtime: runtime as RuntimeService, images: images as ImageService };
  if (metrics !== undefined) {
    for (const { state$, endpoint } of new Set([runtimeConnection, imageConnection])) {
      countLostConnections(state$, endpoint.url, metrics, logger);
    }
  }
  return {
    ...(metrics === undefined ? services : instrumented(services, { metrics, clock })),
    state$: runtimeConnection.state$,
    apiVersion: () => runtimeSupport.version(),
    capabilities,
    async probeCapabilities(callOptions = {}) {
      await probeUnknown(services, capabilities, callOptions);
      return capabilities();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([runtimeConnection[Symbol.asyncDispose](), imageConnection[Symbol.asyncDispose]()]);
    },
  };
}
