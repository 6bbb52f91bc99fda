import type { Message } from '@bufbuild/protobuf';
import type { CallOptions } from '@rxlet/cri-api';
import type { ActiveCall } from './active-call.ts';
import { CriError } from './cri-error.ts';
import { startNegotiatedCall } from './negotiated-call.ts';
import { decodeAnswer, prepareCall, type RpcMethod } from './rpc-method.ts';
import { callCanceled } from './status-error.ts';

interface Waiter {
  resolve(result: IteratorResult<Message, undefined>): void;
  reject(error: CriError): void;
}

const DONE: IteratorResult<Message, undefined> = { done: true, value: undefined };

/**
 * Creates the port's method of a server-streaming RPC. Each iteration is a call of its own.
 *
 * It reads a message only when the consumer requests one, so nothing is buffered here: with a slow consumer the connection's flow-control window fills up, and
 * the server waits.
 */
export function createServerStream(
  method: RpcMethod,
): (request: object, options?: CallOptions) => AsyncIterable<Message> {
  return (init, options) => ({ [Symbol.asyncIterator]: () => iterate(method, init, options) });
}

function iterate(method: RpcMethod, init: object, options: CallOptions | undefined): AsyncIterator<Message, undefined> {
  const { subject } = method;
  /** The `next()` calls that await their message, in order. */
  const waiters: Waiter[] = [];
  let call: ActiveCall | undefined;
  let over = false;
  /** Error of the call, until a `next()` returns it. */
  let failure: CriError | undefined;

  const finish = (error: CriError | undefined): void => {
    if (over) return;
    over = true;
    const first = error === undefined ? undefined : waiters.shift();
    if (first === undefined) failure = error;
    else first.reject(error!);
    for (const waiter of waiters.splice(0)) waiter.resolve(DONE);
  };
  const onMessage = (buffer: Buffer): void => {
    const message = decodeAnswer(method, buffer);
    if (message instanceof CriError) {
      call?.end(message);
      return;
    }
    waiters.shift()?.resolve({ done: false, value: message });
    if (waiters.length > 0) call?.read();
  };
  const start = (): void => {
    const prepared = prepareCall(method, init, options);
    if (prepared instanceof CriError) {
      finish(prepared);
      return;
    }
    call = startNegotiatedCall(method, { ...prepared, signal: options?.signal, onMessage, onEnd: finish });
  };

  return {
    next() {
      if (over) {
        const error = failure;
        failure = undefined;
        return error === undefined ? Promise.resolve(DONE) : Promise.reject(error);
      }
      return new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        if (call === undefined) start();
        else if (waiters.length === 1) call.read();
      });
    },
    return() {
      finish(undefined);
      failure = undefined;
      call?.end(callCanceled(undefined, subject, call.sent));
      return Promise.resolve(DONE);
    },
  };
}
