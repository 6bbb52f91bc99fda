import type { Socket } from 'node:net';
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type ChannelOptions, Client, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { onAbort } from '@rxlet/component-base';
import { createSocketCredentials } from '@rxlet/component-base/grpc-socket-credentials';
import { PluginCallError } from './plugin-call-error.ts';

/** A connection to the gRPC server of a plugin. Disposal closes its socket and ends its calls. */
export interface PluginConnection extends Disposable {
  /** Makes a call. Rejects with {@link PluginCallError}, or with the signal's reason. */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    signal: AbortSignal,
  ): Promise<MessageShape<O>>;
  /**
   * Calls `onMessage` with each message of a stream, in order, and reads the next one when it has resolved. Resolves when the plugin ends the stream; rejects as
   * {@link PluginConnection.call}, and with the error of `onMessage`.
   */
  receive<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    onMessage: (message: MessageShape<O>) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Keeps the connection open until disposal, without a call that needs it: it is opened at once, and again when it is lost, with back-off. Calls `onChange` after each
   * change; a connection is open when the plugin has answered. Calls during a back-off reject with `Unavailable`.
   */
  keepOpen(onChange: (isOpen: boolean) => void): void;
}

/** The protocol's limit for the path of a unix socket, the final zero byte not included. */
const MAX_PATH_BYTES = 107;

/** Longest explanation of a plugin. */
const MAX_DESCRIPTION = 4096;
/** Time of a failure to connect, which grpc-js adds. */
const TIME = / \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/g;

const OPTIONS: ChannelOptions = {
  'grpc.default_authority': 'localhost',
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  // Each attempt is a look at a socket of the node.
  'grpc.max_reconnect_backoff_ms': 10_000,
};

/** Creates a connection to the server of a unix socket. It is opened by the first call. @throws PluginCallError for a path that is too long */
export function connectToPlugin(socketPath: string): PluginConnection {
  if (Buffer.byteLength(socketPath) > MAX_PATH_BYTES)
    throw new PluginCallError('Unavailable', `the path of the socket ${socketPath} is too long`);
  const sockets = new Set<Socket>();
  let isClosed = false;
  const credentials = createSocketCredentials({
    connected(socket) {
      if (isClosed) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
  });
  const client = new Client(`unix:${socketPath}`, credentials, OPTIONS);
  return {
    async call(method, request, signal) {
      try {
        return await unaryCall(client, method, request, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    async receive(method, request, onMessage, signal) {
      try {
        await streamingCall(client, method, request, onMessage, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    keepOpen(onChange) {
      const channel = client.getChannel();
      let isOpen = false;
      const follow = (): void => {
        const state = channel.getConnectivityState(!isClosed);
        const isReady = state === connectivityState.READY;
        if (isReady !== isOpen && !isClosed) onChange((isOpen = isReady));
        if (state !== connectivityState.SHUTDOWN && !isClosed) channel.watchConnectivityState(state, Infinity, follow);
      };
      follow();
    },
    [Symbol.dispose]() {
      isClosed = true;
      client.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function unaryCall<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  signal: AbortSignal,
): Promise<MessageShape<O>> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sent = client.makeUnaryRequest<Uint8Array, MessageShape<O>>(
      pathOf(method),
      (bytes) => Buffer.from(bytes),
      (bytes) => fromBinary(method.output, bytes),
      toBinary(method.input, create(method.input, request)),
      new Metadata(),
      (error, answer) => {
        listener[Symbol.dispose]();
        if (answer !== undefined) resolve(answer);
        else reject(callError(error));
      },
    );
    const listener = onAbort(signal, () => sent.cancel());
  });
}

function streamingCall<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: DescMethodServerStreaming<I, O>,
  request: MessageInitShape<I>,
  onMessage: (message: MessageShape<O>) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stream = client.makeServerStreamRequest<Uint8Array, MessageShape<O>>(
      pathOf(method),
      (bytes) => Buffer.from(bytes),
      (bytes) => fromBinary(method.output, bytes),
      toBinary(method.input, create(method.input, request)),
      new Metadata(),
    );
    const listener = onAbort(signal, () => stream.cancel());
    const settle = (end: () => void): void => {
      listener[Symbol.dispose]();
      end();
    };
    const fail = (error: Error): void => {
      settle(() => reject(error));
      stream.cancel();
    };
    stream.on('data', (message: MessageShape<O>) => {
      try {
        const handled = onMessage(message);
        if (handled === undefined) return;
        stream.pause();
        handled.then(() => stream.resume(), fail);
      } catch (error) {
        fail(error as Error);
      }
    });
    stream.on('end', () => settle(resolve));
    stream.on('error', (error: ServiceError) => settle(() => reject(callError(error))));
  });
}

function pathOf({ parent, name }: DescMethodUnary | DescMethodServerStreaming): string {
  return `/${parent.typeName}/${name}`;
}

function callError(error: ServiceError | null): PluginCallError {
  if (error === null) return new PluginCallError('Internal', 'the plugin ended the call without an answer');
  return new PluginCallError(codeName(error.code), describe(error.details), { cause: error });
}

/** Returns an explanation as events and logs can show it: bounded, and the same each time. */
function describe(details: string): string {
  const text = details.replaceAll(TIME, '');
  if (text.length <= MAX_DESCRIPTION) return text;
  return `${text.slice(0, MAX_DESCRIPTION)}… (${String(text.length - MAX_DESCRIPTION)} more characters)`;
}

/** Returns the name of a status as Go prints it: 14 → `Unavailable`. */
function codeName(code: number): string {
  const name: string | undefined = status[code];
  if (name === undefined) return `Code(${String(code)})`;
  if (code === Number(status.CANCELLED)) return 'Canceled';
  return name
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
