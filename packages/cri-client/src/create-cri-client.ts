import { type Clock, type Logger, type Metrics, noopLogger, type Random } from '@rxlet/component-base';
import {
  type CallOptions,
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';
import type { Observable } from 'rxjs';
import { type Capabilities, probeUnknown, readCapabilities } from './capabilities.ts';
import { createConnection } from './connection.ts';
import type { ConnectionState } from './connection-state.ts';
import type { CriServices } from './decorators/cri-services.ts';
import { instrumented } from './decorators/instrumented.ts';
import { countLostConnections } from './decorators/lost-connections.ts';
import { type Endpoint, IMAGE_ROLE, parseEndpoint, RUNTIME_ROLE } from './endpoint.ts';
import { createNodeSocketProbe } from './node-socket-probe.ts';
import { timeoutOrNone } from './rpc-method.ts';
import { createServiceKnowledge, type CriApiVersion } from './service-knowledge.ts';
import { createServicePort } from './service-port.ts';
import type { SocketProbe } from './socket-probe.ts';

/** What {@link createCriClient} needs from outside. */
export interface CriClientPorts {
  readonly clock: Clock;
  /** Spreads the attempts to reconnect. */
  readonly random: Random;
  /** Told of connections made and of connections that cannot be made, once each. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Measures the calls under the kubelet's `kubelet_runtime_operations_*`, and counts lost connections. Default: nothing is measured. */
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
  /**
   * The version of the CRI that the connected runtime is called in; `undefined` until it has answered a call on this connection. v1 wherever the runtime has
   * it, else v1alpha2, through the same ports.
   */
  apiVersion(): CriApiVersion | undefined;
  /** What the connected runtime can do, as far as its answers have told. A new connection begins with nothing. */
  capabilities(): Capabilities;
  /**
   * Asks for what is still unknown where that does no harm, by reading calls that find nothing, then tells as `capabilities()` does. What changes something and
   * the streams stay `unknown` until they are used. Rejects with `CriError` if the runtime cannot be asked.
   */
  probeCapabilities(options?: CallOptions): Promise<Capabilities>;
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

  const runtimeKnowledge = createServiceKnowledge(() => runtimeConnection.epoch);
  const imageKnowledge = createServiceKnowledge(() => imageConnection.epoch);
  const shared = { clock, timeoutMs, maxMessageBytes };
  const runtime: unknown = createServicePort(RuntimeServiceDescriptor, {
    ...shared,
    connection: runtimeConnection,
    knowledge: runtimeKnowledge,
  });
  const images: unknown = createServicePort(ImageServiceDescriptor, {
    ...shared,
    connection: imageConnection,
    knowledge: imageKnowledge,
  });
  const capabilities = (): Capabilities => readCapabilities(runtimeKnowledge, imageKnowledge);
  const services: CriServices = { runtime: runtime as RuntimeService, images: images as ImageService };
  if (metrics !== undefined) {
    for (const { state$, endpoint } of new Set([runtimeConnection, imageConnection])) {
      countLostConnections(state$, endpoint.url, metrics);
    }
  }
  return {
    ...(metrics === undefined ? services : instrumented(services, { metrics, clock })),
    state$: runtimeConnection.state$,
    imageState$: imageConnection.state$,
    apiVersion: () => runtimeKnowledge.version(),
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
