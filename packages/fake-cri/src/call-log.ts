import { type Clock, errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import type { RpcName } from './rpc/port.ts';

/** A call of one of the ports. */
export interface RecordedCall {
  /** Counts all calls from 1. */
  readonly sequence: number;
  readonly rpc: RpcName;
  /** Start of the call on the runtime's clock, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** `undefined` while the call is pending. A stream is done when it is open. */
  readonly durationMs: number | undefined;
  /** gRPC status code of a call that is done; `StatusCode.Ok` for success. */
  readonly code: StatusCode | undefined;
  /** Text of the error of a call that failed. */
  readonly message: string | undefined;
  /** Of the request or the response. */
  readonly podSandboxId: string | undefined;
  readonly containerId: string | undefined;
  readonly image: string | undefined;
}

/** Number of latest calls that a log keeps. */
export const MAX_RECORDED_CALLS = 1000;

/** The latest calls of a runtime. */
export interface CallLog {
  /** Records a call. `carryOut` returns its answer or a promise of it. */
  record(rpc: RpcName, request: unknown, carryOut: () => unknown): unknown;
  /** Returns the recorded calls, oldest first. */
  list(): readonly RecordedCall[];
}

/** Creates an empty {@link CallLog}. */
export function createCallLog(clock: Pick<Clock, 'now' | 'monotonicNow'>): CallLog {
  const calls: Mutable[] = [];
  let sequence = 0;

  const begin = (rpc: RpcName, request: unknown): Mutable => {
    const call = { sequence: ++sequence, rpc, startedAtMs: clock.now(), beganMs: clock.monotonicNow(), request };
    calls.push(call);
    if (calls.length > MAX_RECORDED_CALLS) calls.shift();
    return call;
  };
  const end = (call: Mutable, outcome: Mutable['outcome'], answer: unknown): void => {
    call.durationMs = clock.monotonicNow() - call.beganMs;
    call.outcome = outcome;
    // Selected fields, because messages may be large.
    call.fields = fieldsOf(call.request, answer);
    call.request = undefined;
  };
  const fail = (call: Mutable, error: unknown): never => {
    end(call, { code: callErrorCode(error) ?? StatusCode.Unknown, message: errorMessage(error) }, {});
    throw error;
  };

  return {
    record(rpc, request, carryOut) {
      const call = begin(rpc, request);
      const succeed = (answer: unknown): unknown => {
        end(call, { code: StatusCode.Ok, message: undefined }, answer);
        return answer;
      };
      let answer: unknown;
      try {
        answer = carryOut();
      } catch (error) {
        return fail(call, error);
      }
      return answer instanceof Promise ? answer.then(succeed, (error) => fail(call, error)) : succeed(answer);
    },
    list: () =>
      calls.map(({ sequence: number, rpc, startedAtMs, durationMs, outcome, fields, request }) => ({
        sequence: number,
        rpc,
        startedAtMs,
        durationMs,
        code: outcome?.code,
        message: outcome?.message,
        ...(fields ?? fieldsOf(request, {})),
      })),
  };
}

type Fields = Pick<RecordedCall, 'podSandboxId' | 'containerId' | 'image'>;

interface Mutable {
  readonly sequence: number;
  readonly rpc: RpcName;
  readonly startedAtMs: number;
  readonly beganMs: number;
  /** Until the call is done. */
  request: unknown;
  durationMs?: number;
  outcome?: { readonly code: StatusCode; readonly message: string | undefined };
  fields?: Fields;
}

function fieldsOf(request: unknown, answer: unknown): Fields {
  const [requested, answered] = [request as Identifying, answer as Identifying];
  return {
    podSandboxId: answered.podSandboxId ?? requested.podSandboxId,
    containerId: answered.containerId ?? requested.containerId,
    image: requested.image?.image,
  };
}

/** Fields of requests and responses that identify objects. */
interface Identifying {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly image?: { readonly image?: string };
}
