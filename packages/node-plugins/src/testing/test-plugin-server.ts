import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { abortable } from '@rxlet/component-base';
import { filteredConnection } from '@rxlet/component-base/grpc-server';
import type { Transport } from '../rpc/transport.ts';

type Message = MessageShape<DescMessage>;
type Unary = DescMethodUnary<DescMessage, DescMessage>;

/** Behaviour of a {@link TestPluginServer}. */
export interface TestPluginHandlers {
  /** Returns the fields of the answer. A rejection whose error has a `code`, such as `NotFound`, fails the call with that status, another one with `Internal`. */
  answer(method: DescMethod, request: Message): Promise<object>;
  /**
   * Sends messages, given by their fields, until the signal aborts, which it does when the caller ends the call. The stream ends when the promise settles.
   */
  stream?(method: DescMethod, request: Message, send: (fields: object) => void, signal: AbortSignal): Promise<void>;
}

/** The gRPC server of a plugin for tests. */
export interface TestPluginServer extends AsyncDisposable {
  /** Serves on a unix socket until disposed of. */
  listen(socketPath: string): Promise<void>;
  /** Carries unary calls without a socket. */
  readonly transport: Transport;
}

/** Creates a {@link TestPluginServer} with these services. */
export function createTestPluginServer(
  services: readonly DescService[],
  { answer, stream }: TestPluginHandlers,
): TestPluginServer {
  const servers: { end(): void }[] = [];
  const answerTo = async <O extends DescMessage>(method: DescMethodUnary<DescMessage, O>, request: Message) =>
    create(method.output, (await answer(method, request)) as MessageInitShape<O>);
  const unary = (method: Unary) => (call: { readonly request: Message }, done: Done) => {
    answerTo(method, call.request).then(
      (message) => done(null, message),
      (error: unknown) => done(grpcError(error), null),
    );
  };
  const streaming = (method: DescMethod) => (call: ServerWritableStream<Message, Message>) => {
    const life = new AbortController();
    call.on('cancelled', () => life.abort());
    const send = (fields: object): void =>
      void call.write(create(method.output, fields as MessageInitShape<DescMessage>));
    const run = stream?.(method, call.request, send, life.signal) ?? Promise.resolve();
    run.then(
      () => call.end(),
      (error: unknown) => call.emit('error', grpcError(error)),
    );
  };
  return {
    async listen(socketPath) {
      const server = new Server();
      for (const service of services) {
        const handlers = service.methods.map((method) => [
          method.localName,
          method.methodKind === 'unary' ? unary(method as Unary) : streaming(method),
        ]);
        server.addService(definitionOf(service), Object.fromEntries(handlers) as UntypedServiceImplementation);
      }
      const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
      const listener = createServer((socket) => injector.injectConnection(filteredConnection(socket)));
      await once(listener.listen(socketPath), 'listening');
      servers.push({
        end() {
          listener.close();
          server.forceShutdown();
        },
      });
    },
    async transport(_socketPath, method, request, signal) {
      signal.throwIfAborted();
      return abortable(answerTo(method, create(method.input, request)), signal);
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers.splice(0)) server.end();
    },
  };
}

type Done = (error: { readonly code: number; readonly details: string } | null, message: unknown) => void;

function definitionOf(service: DescService): ServiceDefinition {
  const definition = (method: DescMethod): MethodDefinition<Message, Message> => ({
    path: `/${service.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: (message) => Buffer.from(toBinary(method.input, message)),
    requestDeserialize: (bytes) => fromBinary(method.input, bytes),
    responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes),
  });
  return Object.fromEntries(service.methods.map((method) => [method.localName, definition(method)]));
}

function grpcError(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return { code: status.INTERNAL, details: message };
  const name = error.code.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const code = name === 'CANCELED' ? status.CANCELLED : (status[name as keyof typeof status] ?? status.UNKNOWN);
  return { code, details: message.replace(/^rpc error: code = \w+ desc = /, '') };
}
