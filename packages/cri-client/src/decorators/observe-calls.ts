import type { Message } from '@bufbuild/protobuf';
import { type AnyStreaming, type CriServices, decorateServices, type Rpc } from './cri-services.ts';

/** End of a call; `left`: the consumer of a stream stopped early. */
export type CallOutcome =
  { readonly kind: 'done' } | { readonly kind: 'left' } | { readonly kind: 'failed'; readonly error: unknown };

/** Observer of one call. Its methods must not throw. */
export interface CallObserver {
  /** Runs each step of the call in the wrapped ports. Default: runs it unchanged. */
  readonly run?: <T>(step: () => T) => T;
  /** Receives the response of a unary call, or each message of a stream. */
  answered?(message: Message): void;
  /** Called once, and last. */
  ended(outcome: CallOutcome): void;
}

/**
 * Observes every call of both ports without changing it. `observe` is called once for each RPC; the function that it returns is called when a call begins,
 * which for a stream is its first `next()`.
 */
export function observeCalls(
  services: CriServices,
  observe: (rpc: Rpc) => (request: object) => CallObserver,
): CriServices {
  return decorateServices(services, {
    unary(rpc, next) {
      const begin = observe(rpc);
      return async (request, options) => {
        const observer = begin(request);
        let answer: Message;
        try {
          answer = await runStep(observer, () => next(request, options));
        } catch (error) {
          observer.ended({ kind: 'failed', error });
          throw error;
        }
        observer.answered?.(answer);
        observer.ended({ kind: 'done' });
        return answer;
      };
    },
    streaming(rpc, next) {
      const begin = observe(rpc);
      return (request, options) => observeStream(next, request, options, () => begin(request));
    },
  });
}

function runStep<T>(observer: CallObserver | undefined, step: () => T): T {
  return observer?.run === undefined ? step() : observer.run(step);
}

function observeStream(
  next: AnyStreaming,
  request: object,
  options: Parameters<AnyStreaming>[1],
  begin: () => CallObserver,
): AsyncIterable<Message> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<Message> | undefined;
      let observer: CallObserver | undefined;
      let over = false;
      const end = (outcome: CallOutcome): void => {
        if (over) return;
        over = true;
        observer?.ended(outcome);
      };
      const open = (): AsyncIterator<Message> => (inner ??= next(request, options)[Symbol.asyncIterator]());
      return {
        async next() {
          if (!over) observer ??= begin();
          try {
            const result = await runStep(observer, () => open().next());
            if (result.done) end({ kind: 'done' });
            else if (!over) observer?.answered?.(result.value);
            return result;
          } catch (error) {
            end({ kind: 'failed', error });
            throw error;
          }
        },
        async return() {
          end({ kind: 'left' });
          await runStep(observer, () => open().return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}
