import type { Message } from '@bufbuild/protobuf';
import type { CallOptions } from '@rxlet/cri-api';
import { CriError } from './cri-error.ts';
import { startNegotiatedCall } from './negotiated-call.ts';
import { decodeAnswer, prepareCall, type RpcMethod } from './rpc-method.ts';
import { invalidAnswer } from './status-error.ts';

/** Creates the port's method of a unary RPC. */
export function createUnaryCall(method: RpcMethod): (request: object, options?: CallOptions) => Promise<Message> {
  const { subject } = method;
  return (init, options) => {
    const prepared = prepareCall(method, init, options);
    if (prepared instanceof CriError) return Promise.reject(prepared);
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      startNegotiatedCall(method, {
        request: prepared.request,
        timeoutMs: prepared.timeoutMs,
        signal: options?.signal,
        headers: options?.headers,
        onMessage(message) {
          answer = message;
        },
        onEnd(error) {
          const outcome =
            error ??
            (answer === undefined
              ? invalidAnswer('it ended the call without an answer', subject)
              : decodeAnswer(method, answer));
          if (outcome instanceof CriError) reject(outcome);
          else resolve(outcome);
        },
      });
    });
  };
}
