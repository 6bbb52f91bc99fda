import { once } from 'node:events';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type Clock, errorMessage, type Logger, noopLogger, systemClock, withDeadline } from '@rxlet/component-base';
import { createGrpcServer, grpcHandlerOptions } from '@rxlet/component-base/grpc-server';
import { listenOnUnixSocket } from '@rxlet/component-base/unix-socket';
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { routePort, routePortAsV1alpha2 } from './port-routes.ts';
import { formatUnixAddress, parseUnixAddress } from './unix-address.ts';

/** Owner and group may connect: access to a container runtime is access to everything on its node. */
const SOCKET_MODE = 0o660;

/** The ports to serve. */
export interface CriServices {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** A version of the CRI. */
export type CriApiVersion = 'v1' | 'v1alpha2';

/** Options of {@link serveCri}. */
export interface CriServerOptions {
  /** Address to listen on: the absolute path of a socket whose directory exists, with or without `unix://` before it. */
  readonly listen: string;
  /** The versions of the CRI that it speaks; the ports are the same, v1alpha2 is converted. Default: both. */
  readonly versions?: readonly CriApiVersion[];
  /**
   * Routes for further services on the same socket, in gRPC unless a route sets other protocols: `router.service(…, …, { connect: true })` also serves `curl`.
   * Default: none.
   */
  readonly routes?: (router: ConnectRouter) => void;
  /** Default: none. */
  readonly logger?: Logger;
  /** Largest message in either direction, in bytes. Default: 16 MiB, as the kubelet has it. */
  readonly maxMessageBytes?: number;
  /** Time that disposal waits for open unary calls before it cancels them, in milliseconds. Default: 2000. */
  readonly drainMs?: number;
  /** The clock of {@link drainMs}. Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * A listening CRI server. Disposing it removes the socket, ends its streams with Unavailable, lets other open calls finish within a limit and closes all
 * connections. The ports stay as they are.
 */
export interface CriServer extends AsyncDisposable {
  /** Address it listens on: `unix://` and the path of the socket. */
  readonly address: string;
}

/**
 * Serves the ports to any gRPC client on a unix socket (mode 0660). A stale socket is replaced. Rejects with
 * {@link UnsupportedAddressError}, or with a `UnixSocketError` when it cannot listen, whose `reason` is `InUse` when another process does.
 *
 * An error with a gRPC code reaches the client with its code and message, any other as Internal. A call's signal aborts when its client cancels it,
 * goes away, or its deadline passes.
 *
 * @example
 * ```ts
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { serveCri } from '@rxlet/cri-server';
 * import { createFakeRuntime } from '@rxlet/fake-cri';
 *
 * const fake = createFakeRuntime({ clock: systemClock, random: systemRandom });
 * await using server = await serveCri(fake, { listen: 'unix:///run/fake.sock' });
 * ```
 */
export async function serveCri(services: CriServices, options: CriServerOptions): Promise<CriServer> {
  const {
    logger = noopLogger,
    maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
    drainMs = 2000,
    clock = systemClock,
  } = options;
  const { versions = ['v1', 'v1alpha2'] } = options;
  const path = parseUnixAddress(options.listen);
  const streamsEnd = new AbortController();
  const routeOptions = { logger, streamsEnd: streamsEnd.signal };

  const handle = connectNodeAdapter({
    ...grpcHandlerOptions(maxMessageBytes),
    writeMaxBytes: maxMessageBytes,
    routes(router) {
      for (const version of new Set(versions)) {
        const route = version === 'v1' ? routePort : routePortAsV1alpha2;
        route(router, RuntimeServiceDescriptor, services.runtime, routeOptions);
        route(router, ImageServiceDescriptor, services.images, routeOptions);
      }
      options.routes?.(router);
    },
  });
  const { listener, sessions } = createGrpcServer(handle, logger);
  const socket = await listenOnUnixSocket(listener, path, SOCKET_MODE);
  listener.on('error', (error: Error) =>
    logger.error('the CRI server failed to accept', { error: errorMessage(error) }),
  );
  const address = formatUnixAddress(path);
  logger.info('CRI server is listening', { address });

  const shutDown = async (): Promise<void> => {
    const closed = once(listener, 'close');
    listener.close();
    await socket[Symbol.asyncDispose]();
    streamsEnd.abort(new ServiceError(StatusCode.Unavailable, 'the server is shutting down'));
    for (const session of sessions) session.close();
    try {
      await withDeadline(clock, drainMs, undefined, () => closed);
    } catch {
      // Its open calls see their signal abort.
      for (const session of sessions) session.destroy();
      await closed;
    }
  };
  let disposed: Promise<void> | undefined;
  return {
    address,
    [Symbol.asyncDispose]: () => (disposed ??= shutDown()),
  };
}
