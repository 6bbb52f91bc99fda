import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type Clock,
  createFailpoint,
  DeadlineExceededError,
  errorMessage,
  type FailpointAction,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import {
  callErrorCode,
  type CallOptions,
  ImageServiceDescriptor,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { defaultTimeoutMs } from '../call-timeouts.ts';
import { timeoutOrNone } from '../rpc-method.ts';
import { type AnyStreaming, type CriServices, decorateServices, type Rpc, type RpcName } from './cri-services.ts';

/** Returns the fault of a call; `undefined` for none. Called once for each call, in the order of the calls. */
export type FaultSource = (rpc: RpcName, request: object) => FailpointAction | undefined;

/** Ports of {@link faultInjecting}. */
export interface FaultInjectingPorts {
  readonly clock: Clock;
  /**
   * For each RPC a failpoint such as `1*off->2*error(unavailable: no shim)->delay(200)` (see `parseFailpoint` of `@rxlet/component-base`); or a
   * function, for faults that depend on the request or change while it runs.
   */
  readonly faults: Readonly<Partial<Record<RpcName, string>>> | FaultSource;
  /** Called on a `panic`, besides failing the call, to crash or restart the runtime under test. Default: nothing. */
  readonly onPanic?: ((message: string) => void) | undefined;
}

/** Options of {@link faultInjecting}. */
export interface FaultInjectingOptions {
  /** `timeoutMs` of the simulated client: the deadline of calls without one. Default: two minutes, as in the client. */
  readonly timeoutMs?: number | undefined;
}

/** Applies the faults that precede a call. @returns the options of the call, and whether its reply must be lost */
type Strike = (
  rpc: Rpc,
  request: object,
  call: CallOptions | undefined,
) => Promise<{ readonly options: CallOptions | undefined; readonly replyLost: boolean }>;

const RPC_NAMES: ReadonlySet<string> = new Set(
  [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods].map(({ localName }) => localName),
);
const DONE: IteratorResult<Message, undefined> = { done: true, value: undefined };

/**
 * Makes calls fail as a faulty runtime does:
 *
 * - `error`: rejects with a `ServiceError`; the inner ports get no call.
 * - `delay`: the inner ports get the call later, unless its deadline passes or its caller cancels.
 * - `hang`: the inner ports get no call; it ends by its deadline or by its caller's signal.
 * - `lost`: the call takes effect, then rejects with Unavailable; a stream loses its first message.
 * - `panic`: rejects with Unavailable, and calls `onPanic`.
 *
 * @throws FailpointError for an invalid failpoint, RangeError for an unknown RPC
 */
export function faultInjecting(
  services: CriServices,
  ports: FaultInjectingPorts,
  options: FaultInjectingOptions = {},
): CriServices {
  const { clock, faults, onPanic } = ports;
  const timeoutMs = timeoutOrNone(options.timeoutMs ?? 120_000);
  const source = typeof faults === 'function' ? faults : createFaultSource(faults);

  /** Waits until the deadline of the call. */
  const wait = async (rpc: Rpc, request: object, call: CallOptions | undefined, delayMs: number): Promise<void> => {
    const deadlineMs = deadlineOf(rpc, request, call, timeoutMs);
    try {
      await withDeadline(clock, deadlineMs, call?.signal, (signal) => sleep(clock, delayMs, signal));
    } catch (error) {
      if (error instanceof DeadlineExceededError) throw new ServiceError(StatusCode.DeadlineExceeded, error.message);
      throw new ServiceError(StatusCode.Canceled, errorMessage(error), { cause: error });
    }
  };

  const strike: Strike = async (rpc, request, call) => {
    const action = source(rpc.method.localName as RpcName, request);
    switch (action?.kind) {
      case 'error':
        throw new ServiceError(action.code, action.message);
      case 'panic':
        onPanic?.(action.message);
        throw new ServiceError(StatusCode.Unavailable, `the container runtime crashed: ${action.message}`);
      case 'hang':
        await wait(rpc, request, call, Infinity);
        return { options: call, replyLost: false };
      case 'delay': {
        await wait(rpc, request, call, action.ms);
        const given = timeoutOrNone(call?.timeoutMs ?? 0);
        return { options: given === Infinity ? call : { ...call, timeoutMs: given - action.ms }, replyLost: false };
      }
      case 'lose-reply':
        return { options: call, replyLost: true };
      case 'off':
      case undefined:
        return { options: call, replyLost: false };
    }
  };

  return decorateServices(services, {
    unary: (rpc, next) => async (request, call) => {
      const struck = await strike(rpc, request, call);
      const answer = next(request, struck.options);
      return struck.replyLost ? loseReply(rpc, answer) : answer;
    },
    streaming: (rpc, next) => (request, call) => faultyStream(rpc, next, request, call, strike),
  });
}

function createFaultSource(faults: Readonly<Partial<Record<RpcName, string>>>): FaultSource {
  const failpoints = new Map(
    Object.entries(faults).map(([rpc, text]) => {
      if (!RPC_NAMES.has(rpc)) throw new RangeError(`the CRI has no RPC ${JSON.stringify(rpc)}`);
      return [rpc, createFailpoint(text)];
    }),
  );
  return (rpc) => failpoints.get(rpc)?.evaluate();
}

function deadlineOf(rpc: Rpc, request: object, call: CallOptions | undefined, timeoutMs: number): number {
  if (call?.timeoutMs !== undefined) return timeoutOrNone(call.timeoutMs);
  if (rpc.method.methodKind !== 'unary') return Infinity;
  const message = create(rpc.method.input, request as MessageInitShape<DescMessage>);
  return defaultTimeoutMs(rpc.method.name, message, timeoutMs);
}

/** Waits until pending work has ended or the caller cancels it; ignores its outcome. */
async function loseReply(rpc: Rpc, answer: Promise<unknown>): Promise<never> {
  try {
    await answer;
  } catch (error) {
    const code = callErrorCode(error);
    if (code === StatusCode.Canceled || code === StatusCode.DeadlineExceeded) throw error;
  }
  throw new ServiceError(StatusCode.Unavailable, `the connection was lost before the reply of ${rpc.method.name} came`);
}

function faultyStream(
  rpc: Rpc,
  next: AnyStreaming,
  request: object,
  call: CallOptions | undefined,
  strike: Strike,
): AsyncIterable<Message> {
  return {
    [Symbol.asyncIterator]() {
      const left = new AbortController();
      let inner: AsyncIterator<Message> | undefined;
      let opened: Promise<AsyncIterator<Message>> | undefined;
      let over = false;
      const open = async (): Promise<AsyncIterator<Message>> => {
        const signal = call?.signal === undefined ? left.signal : AbortSignal.any([call.signal, left.signal]);
        const struck = await strike(rpc, request, { ...call, signal });
        inner = next(request, struck.options)[Symbol.asyncIterator]();
        if (!struck.replyLost) return inner;
        const first = inner.next();
        return loseReply(rpc, first).finally(() => inner?.return?.());
      };
      return {
        async next() {
          if (over) return DONE;
          try {
            const result = await (await (opened ??= open())).next();
            over ||= result.done === true;
            return result;
          } catch (error) {
            if (over) return DONE;
            over = true;
            throw error;
          }
        },
        async return() {
          over = true;
          left.abort();
          await inner?.return?.();
          return DONE;
        },
      };
    },
  };
}
