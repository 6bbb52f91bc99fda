import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import {
  type CallOptions,
  ImageServiceDescriptor,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { type CriServices, makeServices, type Rpc } from './cri-services.ts';
import { parseRecording, type RecordedError, RecordingError } from './recording-format.ts';
import { toRedactedJson } from './redact.ts';

/** `not-recorded`: the recording has no such call. `used-up`: the call was replayed as often as it was recorded. */
export type ReplayErrorReason = 'not-recorded' | 'used-up';

/** Error of a call for which the recording has no answer. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  readonly reason: ReplayErrorReason;
  /** gRPC status code, one that no runtime answers with. */
  readonly code: StatusCode = StatusCode.Internal;
  /** The RPC, such as `RunPodSandbox`. */
  readonly method: string;
  /** The request in the form of the recording. */
  readonly request: string;

  constructor(reason: ReplayErrorReason, method: string, request: string) {
    const problem = reason === 'not-recorded' ? 'was not recorded' : 'was not recorded that often';
    super(`the call ${method}(${request}) ${problem}`);
    this.reason = reason;
    this.method = method;
    this.request = request;
  }
}

interface ReplayedCall {
  readonly call: number;
  readonly output: DescMessage;
  readonly messages: Message[];
  /** `open`: it had not ended when its consumer or the recorder stopped. */
  end: 'done' | 'open' | RecordedError;
}

const METHODS = new Map(
  [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods].map((method) => [method.name, method]),
);
const DONE: IteratorResult<Message, undefined> = { done: true, value: undefined };

/**
 * Creates a container runtime that replays a recording (see `recording`), without delay. A call gets the answer of the first unused recorded call of the same
 * RPC with the same request; secrets, which a recording does not have, are not compared. A stream that had not ended stays open without messages until it is
 * left or its signal aborts. Errors are `ServiceError`s with the recorded code; a call without an answer rejects with a {@link ReplayError}.
 *
 * @throws RecordingError when the recording cannot be read
 */
export function replaying(lines: Iterable<string>): CriServices {
  const recorded = readCalls(lines);
  const take = ({ method }: Rpc, init: object, options: CallOptions | undefined): ReplayedCall => {
    if (options?.signal?.aborted) throw canceled(options.signal);
    const message = create(method.input, init as MessageInitShape<DescMessage>);
    const request = canonical(toRedactedJson(method.input, message));
    const calls = recorded.get(`${method.name} ${request}`);
    const call = calls?.shift();
    if (call === undefined) {
      throw new ReplayError(calls === undefined ? 'not-recorded' : 'used-up', method.name, request);
    }
    return call;
  };
  return makeServices({
    unary: (rpc) => async (request, options) => {
      const { messages, end } = take(rpc, request, options);
      if (typeof end === 'object') throw replayedError(end);
      return messages[0]!;
    },
    streaming: (rpc) => (request, options) => replayStream(() => take(rpc, request, options), options?.signal),
  });
}

/** Calls by RPC and request, in the order in which they began. */
function readCalls(lines: Iterable<string>): Map<string, ReplayedCall[]> {
  const calls = new Map<number, ReplayedCall>();
  const byRequest = new Map<string, ReplayedCall[]>();
  for (const { line, number } of parseRecording(lines)) {
    let call = calls.get(line.call);
    if (call === undefined) {
      const method = METHODS.get(line.method ?? '');
      if (method === undefined) throw new RecordingError('line-invalid', 'it names no RPC of the CRI', number);
      call = { call: line.call, output: method.output, messages: [], end: 'open' };
      const key = `${method.name} ${canonical(line.request ?? {})}`;
      byRequest.set(key, [...(byRequest.get(key) ?? []), call]);
      calls.set(line.call, call);
    }
    const answer = line.response ?? line.message;
    if (answer !== undefined) call.messages.push(decode(call.output, answer, number));
    if (line.error !== undefined) call.end = line.error;
    else if (line.end === 'done' || line.response !== undefined) call.end = 'done';
    else if (line.method !== undefined && line.stream !== true) {
      throw new RecordingError('line-invalid', 'it has neither a response nor an error', number);
    }
  }
  // Unary calls are written when they end.
  for (const list of byRequest.values()) list.sort((a, b) => a.call - b.call);
  return byRequest;
}

function decode(output: DescMessage, json: JsonValue, number: number): Message {
  try {
    return fromJson(output, json, { ignoreUnknownFields: true });
  } catch (cause) {
    throw new RecordingError('line-invalid', errorMessage(cause), number, { cause });
  }
}

/** JSON with its keys sorted, so that equal values are equal texts. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: JsonValue) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function replayedError({ code, message }: RecordedError): ServiceError {
  return new ServiceError((code ?? StatusCode.Unknown) as StatusCode, message);
}

function canceled(signal: AbortSignal): ServiceError {
  return new ServiceError(StatusCode.Canceled, errorMessage(signal.reason), { cause: signal.reason });
}

function replayStream(take: () => ReplayedCall, signal: AbortSignal | undefined): AsyncIterable<Message> {
  return {
    [Symbol.asyncIterator]() {
      const left = Promise.withResolvers<IteratorResult<Message, undefined>>();
      let call: ReplayedCall | undefined;
      let position = 0;
      let over = false;
      const untilLeft = async (): Promise<IteratorResult<Message, undefined>> => {
        const aborted = Promise.withResolvers<void>();
        const onAbort = (): void => aborted.resolve();
        signal?.addEventListener('abort', onAbort, { once: true });
        try {
          return await Promise.race([left.promise, aborted.promise.then(() => undefined)]).then((result) => {
            if (result !== undefined || over) return DONE;
            over = true;
            throw canceled(signal!);
          });
        } finally {
          signal?.removeEventListener('abort', onAbort);
        }
      };
      return {
        async next() {
          if (over) return DONE;
          try {
            call ??= take();
            if (signal?.aborted) throw canceled(signal);
          } catch (error) {
            over = true;
            throw error;
          }
          const message = call.messages[position];
          if (message !== undefined) {
            position += 1;
            return { done: false, value: message };
          }
          if (call.end === 'open') return untilLeft();
          over = true;
          if (call.end === 'done') return DONE;
          throw replayedError(call.end);
        },
        async return() {
          over = true;
          left.resolve(DONE);
          return DONE;
        },
      };
    },
  };
}
