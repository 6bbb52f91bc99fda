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
  type PlainMessage,
  type RuntimeService,
  type RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Call, OpenCall } from './call.ts';

/** A method of the ports: `runPodSandbox`, `pullImage`, … */
export type RpcName = keyof RuntimeService | keyof ImageService;

/** Handlers of the RPCs of a service: functions of a complete request. They may throw. */
export type Handlers<S> =
  S extends GenService<infer M extends GenServiceMethods>
    ? {
        readonly [K in keyof M]?: M[K] extends {
          methodKind: 'unary';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
          ? (request: MessageShape<I>, call: Call) => PlainMessage<O> | Promise<PlainMessage<O>>
          : M[K] extends {
                methodKind: 'server_streaming';
                input: infer I extends DescMessage;
                output: infer O extends DescMessage;
              }
            ? (request: MessageShape<I>, call: Call) => Iterator<PlainMessage<O>> | AsyncIterator<PlainMessage<O>>
            : never;
      }
    : never;

export type RuntimeHandlers = Handlers<typeof RuntimeServiceDescriptor>;
export type ImageHandlers = Handlers<typeof ImageServiceDescriptor>;

/** Hooks around every call. */
export interface CallHooks {
  /** Begins a call; throws when it must not continue. */
  begin(rpc: RpcName, options: CallOptions | undefined): OpenCall;
  /** Runs a call, whose `effect` returns the response, or the messages of a stream; it may be late, or never settle. */
  carryOut(rpc: RpcName, request: unknown, call: Call, effect: () => unknown): unknown;
}

// One function serves all methods, so that their message types are not known here.
type AnyHandler = (request: unknown, call: Call) => unknown;
type AnyInit = MessageInitShape<DescMessage>;
type Messages = Iterator<unknown> | AsyncIterator<unknown>;

/**
 * Creates a port from handlers, one method for each RPC of the service. RPCs without a handler reject with Unimplemented.
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
      return await hooks.carryOut(rpc, request, call, () => handler(request, call));
    } finally {
      call.end();
    }
  };
}

/** Starts a stream with its first `next()`. Leaving the loop, an error and the end of the stream end the call. */
function serverStreaming(
  method: DescMethod,
  handler: AnyHandler,
  hooks: CallHooks,
): (init: AnyInit, options?: CallOptions) => AsyncIterable<unknown> {
  const rpc = method.localName as RpcName;
  return (init, options) => ({
    [Symbol.asyncIterator]() {
      let call: OpenCall | undefined;
      let opening: Messages | Promise<Messages> | undefined;
      let messages: Messages | undefined;
      let ended = false;
      const end = (): void => {
        ended = true;
        call?.end();
      };
      const open = (): Messages | Promise<Messages> => {
        const begun = hooks.begin(rpc, options);
        call = begun;
        const request = create(method.input, init);
        return hooks.carryOut(rpc, request, begun, () => handler(request, begun)) as Messages | Promise<Messages>;
      };
      return {
        async next() {
          if (ended) return { done: true, value: undefined };
          try {
            opening ??= open();
            // Started at once, so that no event after the first next() is missed.
            messages = opening instanceof Promise ? await opening : opening;
            if (ended) return { done: true, value: undefined };
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
          const opened = messages ?? opening;
          if (opened instanceof Promise) opened.then((late) => late.return?.()).catch(() => undefined);
          else await opened?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  });
}
