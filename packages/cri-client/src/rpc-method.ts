import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type Clock, errorMessage } from '@rxlet/component-base';
import { type CallOptions, StatusCode } from '@rxlet/cri-api';
import type { Connection } from './connection.ts';
import type { CriError } from './cri-error.ts';
import type { RpcSupport } from './rpc-support.ts';
import {
  callCanceled,
  type CallSubject,
  capabilityMissing,
  clientClosed,
  invalidAnswer,
  invalidRequest,
} from './status-error.ts';

/** An RPC of a service on a connection. */
export interface RpcMethod {
  readonly descriptor: DescMethod;
  readonly subject: CallSubject;
  readonly connection: Connection;
  readonly rpcSupport: RpcSupport;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  /** Deadline of a call without one of its caller. */
  readonly defaultTimeoutMs: (request: object) => number;
}

/** Returns the path of an RPC, `/package.Service/Method`. */
export function rpcPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** An encoded request. */
export interface PreparedCall {
  readonly request: Buffer;
  readonly timeoutMs: number;
}

/** Encodes a request and computes its deadline; returns an error if the call cannot be made. */
export function prepareCall(
  method: RpcMethod,
  init: object,
  options: CallOptions | undefined,
): PreparedCall | CriError {
  const { subject, maxMessageBytes } = method;
  if (method.connection.closed) return clientClosed(subject, false);
  if (options?.signal?.aborted) return callCanceled(options.signal.reason, subject, false);
  if (method.rpcSupport.capability(method.descriptor.name) === 'no')
    return capabilityMissing(subject, { cached: true });
  let message: Message;
  let bytes: Uint8Array;
  try {
    message = create(method.descriptor.input, init as MessageInitShape<DescMessage>);
    bytes = toBinary(method.descriptor.input, message);
  } catch (error) {
    return invalidRequest(StatusCode.InvalidArgument, errorMessage(error), subject, error);
  }
  if (bytes.length > maxMessageBytes) {
    const problem = `it has ${String(bytes.length)} bytes, and maxMessageBytes is ${String(maxMessageBytes)}`;
    return invalidRequest(StatusCode.ResourceExhausted, problem, subject);
  }
  const given = options?.timeoutMs;
  return {
    request: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    timeoutMs: given === undefined ? method.defaultTimeoutMs(message) : timeoutOrNone(given),
  };
}

/** Normalizes a timeout: `0` and `Infinity`, which both mean none, become `Infinity`. */
export function timeoutOrNone(timeoutMs: number): number {
  return timeoutMs === 0 ? Infinity : timeoutMs;
}

/** Decodes an answer; returns an error if it is invalid. */
export function decodeAnswer(method: RpcMethod, buffer: Buffer): Message | CriError {
  try {
    // Not the Buffer itself, whose class all `bytes` fields would inherit.
    return fromBinary(method.descriptor.output, new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength));
  } catch (error) {
    return invalidAnswer(`the answer is not a ${method.descriptor.output.typeName}`, method.subject, error);
  }
}
