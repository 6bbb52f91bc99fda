import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type DescMethod, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  Server,
  ServerCredentials,
  type ServerOptions,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';

/** Creates a folder for sockets, which is removed with its content on disposal. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'cri-client-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A server-streaming call for a handler of {@link startCriServer}. */
export type StreamCall = ServerWritableStream<object, object>;
/** A unary call for a handler of {@link startCriServer}. */
export type UnaryServerCall = ServerUnaryCall<object, object>;

/** Handlers of grpc-js by the RPCs' names in camel case; those left out are Unimplemented. Answers are plain fields. */
export interface CriHandlers {
  readonly runtime?: UntypedServiceImplementation;
  readonly images?: UntypedServiceImplementation;
}

/** Serves the handlers with grpc-js on a unix socket. */
export async function startCriServer(
  path: string,
  handlers: CriHandlers,
  options: ServerOptions = {},
): Promise<AsyncDisposable> {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1, ...options });
  if (handlers.runtime !== undefined) server.addService(serviceDefinition(RuntimeServiceDescriptor), handlers.runtime);
  if (handlers.images !== undefined) server.addService(serviceDefinition(ImageServiceDescriptor), handlers.images);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return {
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
      await rm(path, { force: true });
    },
  };
}

function serviceDefinition(service: DescService): ServiceDefinition {
  const method = (descriptor: DescMethod) => ({
    path: `/${service.typeName}/${descriptor.name}`,
    requestStream: false,
    responseStream: descriptor.methodKind === 'server_streaming',
    requestSerialize: (request: object) =>
      Buffer.from(toBinary(descriptor.input, create(descriptor.input, request as never))),
    requestDeserialize: (bytes: Buffer) => fromBinary(descriptor.input, bytes),
    responseSerialize: (answer: object) =>
      Buffer.isBuffer(answer)
        ? answer
        : Buffer.from(toBinary(descriptor.output, create(descriptor.output, answer as never))),
    responseDeserialize: (bytes: Buffer) => fromBinary(descriptor.output, bytes),
  });
  return Object.fromEntries(service.methods.map((descriptor) => [descriptor.localName, method(descriptor)]));
}

/** Listens on a unix socket and passes each connection to `onConnection`. */
export async function startRawServer(path: string, onConnection: (socket: Socket) => void): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
