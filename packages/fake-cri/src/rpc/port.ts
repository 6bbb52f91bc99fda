import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import {
  type CallOptions,
  type ImageService,
  type ImageServiceDescriptor,
  type RuntimeService,
  type RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Call, OpenCall } from './call.ts';

/** A method of the ports: `runPodSandbox`, `pullImage`, … */
export type RpcName = keyof RuntimeService | keyof ImageService;

/** The behaviour of the RPCs of a service that have any: functions of a complete request. They may throw. */
export type Handlers<S> =
  S extends GenService<infer M extends GenServiceMethods>
    ? {
        readonly [K in keyof M]?: M[K] extends {
          methodKind: 'unary';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
          ? (request: MessageShape<I>, call: Call) => MessageShape<O> | Promise<MessageShape<O>>
          : M[K] extends {
                methodKind: 'server_streaming';
                input: infer I extends DescMessage;
                output: infer O extends DescMessage;
              }
            ? (request: MessageShape<I>, call: Call) => Iterator<MessageShape<O>> | AsyncIterator<MessageShape<O>>
            : never;
      }
    : never;

export type RuntimeHandlers = Handlers<typeof RuntimeServiceDescriptor>;
export type ImageHandlers = Handlers<typeof ImageServiceDescriptor>;

/** What happens around every call. */
export interface CallHooks {
  /** Begins a call; throws when it must not go on. */
  begin(rpc: RpcName, options: CallOptions | undefined): OpenCall;
  /** Waits before a unary call takes effect, when it has to. */
  delay(rpc: RpcName, call: Call): Promise<void> | undefined;
}

// Inside, where one function serves all methods, their message types are not known.
type AnyHandler = (request: unknown, call: Call) => unknown;
type AnyInit = MessageInitShape<DescMessage>;

/**
 * Makes a port of handlers, one method for each RPC of the service. Those without a handler reject with Unimplemented, naming the RPC: better no
 * answer than a made-up one.
 */
export function createPort<S extends DescService>(service: S, handlers: Handlers<S>, hooks: CallHooks): unknown {
  const port: Record<string, unknown> = {};
  for (const method of service.methods) {
    const handler =
      (handlers as Record<string, AnyHandler | undefined>)[method.localName] ??
      (() => {
        throw new ServiceError(StatusCode.Unimplemented, `${method.name} is not simulated by the fake runtime`);
      });
    const implement = method.methodKind === 'unary' ? unary : serverStreaming;
    port[method.localName] = implement(method, handler, hooks);
  }
  return port;
}

function unary(
  method: DescMethod,
  handler: AnyHandler,
  hooks: CallHooks,
): (init: AnyInit, options?: CallOptions) => Promise<unknown> {
  const rpc = method.localName as RpcName;
  return async (init, options) => {
    const call = hooks.begin(rpc, options);
    try {
      const request = create(method.input, init);
      const delay = hooks.delay(rpc, call);
      if (delay !== undefined) await delay;
      return await handler(request, call);
    } finally {
      call.end();
    }
  };
}

/** Nothing happens before the first `next()`. Leaving the loop, an error and the end of the stream all end the call. */
function serverStreaming(
  method: DescMethod,
  handler: AnyHandler,
  hooks: CallHooks,
): (init: AnyInit, options?: CallOptions) => AsyncIterable<unknown> {
  const rpc = method.localName as RpcName;
  return (init, options) => ({
    [Symbol.asyncIterator]() {
      let call: OpenCall | undefined;
      let messages: Iterator<unknown> | AsyncIterator<unknown> | undefined;
      let ended = false;
      const end = (): void => {
        ended = true;
        call?.end();
      };
      return {
        async next() {
          if (ended) return { done: true, value: undefined };
          try {
            call ??= hooks.begin(rpc, options);
            messages ??= handler(create(method.input, init), call) as Iterator<unknown> | AsyncIterator<unknown>;
            const result = await messages.next();
            if (result.done) end();
            return result;
          } catch (error) {
            end();
            throw error;
          }
        },
        async return() {
          end();
          await messages?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  });
}
