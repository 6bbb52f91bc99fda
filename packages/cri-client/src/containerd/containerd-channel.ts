import type { Socket } from 'node:net';
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type ClientReadableStream, Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { onAbort } from '@rxlet/component-base';
import { createSocketCredentials } from '@rxlet/component-base/grpc-socket-credentials';

/** A method of one of containerd's own services. */
export interface ContainerdMethod<Request extends DescMessage, Response extends DescMessage> {
  /** `/containerd.services.content.v1.Content/List`. */
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
}

/** A connection to containerd's socket for its own services. Disposing of it ends its calls and closes its sockets at once. */
export interface ContainerdChannel extends Disposable {
  readonly client: Client;
  unary<I extends DescMessage, O extends DescMessage>(
    method: ContainerdMethod<I, O>,
    request: MessageShape<I>,
    metadata: Metadata,
    signal: AbortSignal,
  ): Promise<MessageShape<O>>;
  serverStream<I extends DescMessage, O extends DescMessage>(
    method: ContainerdMethod<I, O>,
    request: MessageShape<I>,
    metadata?: Metadata,
  ): ClientReadableStream<MessageShape<O>>;
}

/** Interval of the pings that detect a dead peer. Go's servers reject pings that come more often than every five minutes. */
const KEEP_ALIVE_MS = 6 * 60_000;

/** Opens a {@link ContainerdChannel}. It does not connect before the first call. */
export function openContainerdChannel(socketPath: string): ContainerdChannel {
  const sockets = new Set<Socket>();
  let isClosed = false;
  const connected = (socket: Socket): void => {
    if (isClosed) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const client = new Client(`unix:${socketPath}`, createSocketCredentials({ connected }), {
    'grpc.keepalive_time_ms': KEEP_ALIVE_MS,
    // Callers retry.
    'grpc.enable_retries': 0,
  });
  const codec = <I extends DescMessage, O extends DescMessage>({ request, response }: ContainerdMethod<I, O>) =>
    [
      (message: MessageShape<I>) => Buffer.from(toBinary(request, message)),
      (bytes: Buffer) => fromBinary(response, bytes),
    ] as const;

  return {
    client,
    async unary(method, request, metadata, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<MessageShape<typeof method.response>>();
      const call = client.makeUnaryRequest(method.path, ...codec(method), request, metadata, (error, response) =>
        error === null ? resolve(response!) : reject(error),
      );
      using _listener = onAbort(signal, () => call.cancel());
      return await promise;
    },
    serverStream: (method, request, metadata = new Metadata()) =>
      client.makeServerStreamRequest(method.path, ...codec(method), request, metadata),
    [Symbol.dispose]() {
      isClosed = true;
      client.close();
      // grpc-js keeps a socket open whose peer has not answered the handshake.
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reports whether a call failed because the socket does not serve its method. */
export function isUnimplementedCall(error: unknown): boolean {
  return error instanceof Error && (error as Partial<ServiceError>).code === status.UNIMPLEMENTED;
}
