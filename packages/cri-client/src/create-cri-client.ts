import { type Clock, type Logger, type Metrics, noopLogger, type Random } from '@rxlet/component-base';
import {
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';
import type { Observable } from 'rxjs';
import { createCallMetrics } from './call-metrics.ts';
import { createConnection } from './connection.ts';
import type { ConnectionState } from './connection-state.ts';
import { type Endpoint, IMAGE_ROLE, parseEndpoint, RUNTIME_ROLE } from './endpoint.ts';
import { createNodeSocketProbe } from './node-socket-probe.ts';
import { timeoutOrNone } from './rpc-method.ts';
import { createServicePort } from './service-port.ts';
import type { SocketProbe } from './socket-probe.ts';

/** What {@link createCriClient} needs from outside. */
export interface CriClientPorts {
  readonly clock: Clock;
  /** Spreads the attempts to reconnect. */
  readonly random: Random;
  /** Told of connections made and of connections that cannot be made, once each. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Measures the calls under the kubelet's `kubelet_runtime_operations_*`. Default: nothing is measured. */
  readonly metrics?: Metrics | undefined;
  /** Looks at the socket when a connection failed. Default: by the file system and a connection of its own. */
  readonly socketProbe?: SocketProbe | undefined;
}

/** Options of {@link createCriClient}. */
export interface CriClientOptions {
  /** `unix:///path` of the runtime's socket. The kubelet's `--container-runtime-endpoint`. */
  readonly endpoint: string;
  /** The same for images. Unset or empty: `endpoint`, over the same connection. The kubelet's `--image-service-endpoint`. */
  readonly imageEndpoint?: string | undefined;
  /**
   * Deadline of a unary call in milliseconds, `0` or `Infinity` for none; default two minutes. The kubelet's `runtimeRequestTimeout`. As there,
   * `RunPodSandbox` has twice that, `StopContainer` and `ExecSync` have it on top of the request's own timeout, `CheckpointContainer` has the request's
   * own, and `PullImage` has none.
   */
  readonly timeoutMs?: number | undefined;
  /** Largest message in either direction; default 16 MiB, as the kubelet has it. */
  readonly maxMessageBytes?: number | undefined;
  /** How long a peer that accepts the connection may take to greet; default 5 s. gRPC's minimum connect timeout. */
  readonly connectTimeoutMs?: number | undefined;
  /** Time from one attempt to connect to the next after the first failure; default 100 ms. It grows by 1.6 each time. */
  readonly initialReconnectDelayMs?: number | undefined;
  /** What that time grows up to; default 3 s. */
  readonly maxReconnectDelayMs?: number | undefined;
  /**
   * How often a connection with calls under way is checked by a ping, to notice a runtime that hangs; default six minutes. Go's gRPC servers hang up
   * on clients that ping more often than every five.
   */
  readonly keepAliveIntervalMs?: number | undefined;
}

/** A container runtime and its image service on the other end of a unix socket. */
export interface CriClient extends AsyncDisposable {
  /** Its calls reject with `CriError`. */
  readonly runtime: RuntimeService;
  /** Its calls reject with `CriError`. */
  readonly images: ImageService;
  /** State of the connection to the runtime: replays the present one, completes when the client is closed, never errors. */
  readonly state$: Observable<ConnectionState>;
  /** The same for the image service: the very same where both share a connection. */
  readonly imageState$: Observable<ConnectionState>;
}

/**
 * Creates a {@link CriClient}. The first call connects; from then on it reconnects by itself whenever the connection is lost. While there is no connection
 * calls fail at once. Disposing it ends all calls as `canceled`.
 *
 * @throws CriError of kind `invalid-endpoint`
 */
export function createCriClient(ports: CriClientPorts, options: CriClientOptions): CriClient {
  const { clock, random, metrics } = ports;
  const logger = ports.logger ?? noopLogger;
  const socketProbe = ports.socketProbe ?? createNodeSocketProbe(clock);
  const maxMessageBytes = options.maxMessageBytes ?? 16 * 1024 * 1024;
  const timeoutMs = timeoutOrNone(options.timeoutMs ?? 120_000);
  const recorderFor = metrics && createCallMetrics(metrics, clock);

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

  const shared = { clock, timeoutMs, maxMessageBytes, recorderFor };
  const runtime: unknown = createServicePort(RuntimeServiceDescriptor, { ...shared, connection: runtimeConnection });
  const images: unknown = createServicePort(ImageServiceDescriptor, { ...shared, connection: imageConnection });
  return {
    runtime: runtime as RuntimeService,
    images: images as ImageService,
    state$: runtimeConnection.state$,
    imageState$: imageConnection.state$,
    async [Symbol.asyncDispose]() {
      await Promise.all([runtimeConnection[Symbol.asyncDispose](), imageConnection[Symbol.asyncDispose]()]);
    },
  };
}
