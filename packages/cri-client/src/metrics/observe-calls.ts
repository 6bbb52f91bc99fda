import type { Message } from '@bufbuild/protobuf';
import { type AnyStreaming, type CriServices, decorateServices, type Rpc } from './cri-services.ts';

/** End of a call; `left`: the consumer of a stream stopped early. */
export type CallOutcome =
  { readonly kind: 'done' } | { readonly kind: 'left' } | { readonly kind: 'failed'; readonly error: unknown };

/** Observer of one call. Its methods must not throw. */
export interface CallObserver {
  /** Called once, and last. */
  ended(outcome: CallOutcome): void;
}

/**
 * Observes every call of both ports without changing it. `observe` is called once for each RPC; the function that it returns is called when a call begins,
 * which for a stream is its first `next()`.
 */
export function observeCalls(services: CriServices, observe: (rpc: Rpc) => () => CallObserver): CriServices {
  return decorateServices(services, {
    unary(rpc, next) {
      const begin = observe(rpc);
      return async (request, options) => {
        const observer = begin();
        let answer: Message;
        try {
          answer = await next(request, options);
        } catch (error) {
          observer.ended({ kind: 'failed', error });
          throw error;
        }
        observer.ended({ kind: 'done' });
        return answer;
      };
    },
    streaming(rpc, next) {
      const begin = observe(rpc);
      return (request, options) => observeStream(next, request, options, begin);
    },
  });
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
            const result = await open().next();
            if (result.done) end({ kind: 'done' });
            return result;
          } catch (error) {
            end({ kind: 'failed', error });
            throw error;
          }
        },
        async return() {
          end({ kind: 'left' });
          await open().return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
