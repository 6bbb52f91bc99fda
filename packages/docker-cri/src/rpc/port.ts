import {
  create,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import { type Clock, DeadlineExceededError, LifetimeEnded, withDeadline } from '@rxlet/component-base';
import { callErrorCode, type CallOptions, type PlainMessage, ServiceError, StatusCode } from '@rxlet/cri-api';

/** Handlers of the RPCs of a service: functions of a complete request. */
export type Handlers<S> =
  S extends GenService<infer M extends GenServiceMethods>
    ? {
        readonly [K in keyof M]?: M[K] extends {
          methodKind: 'unary';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
          ? (request: MessageShape<I>, signal: AbortSignal) => Promise<PlainMessage<O>>
          : M[K] extends {
                methodKind: 'server_streaming';
                input: infer I extends DescMessage;
                output: infer O extends DescMessage;
              }
            ? (request: MessageShape<I>, signal: AbortSignal) => AsyncIterable<PlainMessage<O>>
            : never;
      }
    : never;

type AnyInit = MessageInitShape<DescMessage>;
type UnaryHandler = (request: unknown, signal: AbortSignal) => Promise<unknown>;
type StreamHandler = (request: unknown, signal: AbortSignal) => AsyncIterable<unknown>;

/** Deadline of a unary call without one of its own: the kubelet's `runtimeRequestTimeout`. */
const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Creates a port from handlers, one method for each RPC of the service. RPCs without a handler reject with Unimplemented. A call ends with its signal, its deadline,
 * or `ended`.
 */
export function createPort<S extends DescService>(
  service: S,
  handlers: Handlers<S>,
  clock: Clock,
  ended: AbortSignal,
): unknown {
  const all = handlers as Record<string, UnaryHandler | StreamHandler | undefined>;
  const port: Record<string, unknown> = {};
  for (const method of service.methods) {
    const handler = all[method.localName];
    if (method.methodKind === 'unary') {
      port[method.localName] = async (init: AnyInit, options: CallOptions = {}): Promise<unknown> => {
        if (handler === undefined) throw unimplemented(method.name);
        const timeoutMs = options.timeoutMs === 0 ? Infinity : (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
        try {
          const request = create(method.input, init);
          return await withDeadline(clock, timeoutMs, anySignal(ended, options.signal), (signal) =>
            (handler as UnaryHandler)(request, signal),
          );
        } catch (error) {
          throw toServiceError(error);
        }
      };
    } else {
      port[method.localName] = (init: AnyInit, options: CallOptions = {}): AsyncIterable<unknown> =>
        iterate(async function* () {
          if (handler === undefined) throw unimplemented(method.name);
          yield* (handler as StreamHandler)(create(method.input, init), anySignal(ended, options.signal));
        });
    }
  }
  return port;
}

/** Wraps the errors of a stream. */
async function* iterate(source: () => AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  try {
    yield* source();
  } catch (error) {
    throw toServiceError(error);
  }
}

function anySignal(ended: AbortSignal, own: AbortSignal | undefined): AbortSignal {
  return own === undefined ? ended : AbortSignal.any([ended, own]);
}

function unimplemented(rpc: string): ServiceError {
  return new ServiceError(StatusCode.Unimplemented, `${rpc} is not supported: Docker has no counterpart`);
}

/** Errors without a code, such as those of aborted signals, get one. */
function toServiceError(error: unknown): unknown {
  if (callErrorCode(error) !== undefined) return error;
  const fail = (code: StatusCode, message: string): ServiceError => new ServiceError(code, message, { cause: error });
  if (error instanceof LifetimeEnded) return fail(StatusCode.Unavailable, 'the shim has stopped');
  if (error instanceof DeadlineExceededError) return fail(StatusCode.DeadlineExceeded, error.message);
  if (error instanceof Error && error.name === 'AbortError') return fail(StatusCode.Canceled, error.message);
  return error;
}
