import type { Input } from '../process/program.ts';

/** Most bytes that wait for a program to read them, before the client is not read from any more. */
const MAX_QUEUED_BYTES = 64 * 1024;

/** What a client has sent and its program has not read yet: the program's standard input. */
export interface InputQueue extends Input {
  push(data: Uint8Array): void;
  /** Nothing more comes: the program gets what is left, then the end. */
  end(): void;
}

/** Creates an {@link InputQueue}; `hold` stops the client until the function that it returns is called. */
export function createInputQueue(hold: () => () => void): InputQueue {
  const decoder = new TextDecoder();
  const chunks: Uint8Array[] = [];
  let queuedBytes = 0;
  let ended = false;
  let release: (() => void) | undefined;
  let wake: (() => void) | undefined;

  const changed = async (signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    wake = resolve;
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  };
  /** All that has come, as text: a character whose bytes have not all come waits for the others. */
  const takeAll = (): string => {
    const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('');
    chunks.length = 0;
    queuedBytes = 0;
    release?.();
    release = undefined;
    return text;
  };

  return {
    async read(signal) {
      for (;;) {
        signal.throwIfAborted();
        const text = takeAll();
        if (text !== '') return text;
        if (ended) return undefined;
        await changed(signal);
      }
    },
    push(data) {
      if (ended || data.length === 0) return;
      chunks.push(data);
      queuedBytes += data.length;
      if (queuedBytes > MAX_QUEUED_BYTES) release ??= hold();
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
  };
}
