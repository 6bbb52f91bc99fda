import type { Input } from '../process/program.ts';

/** Most characters that wait in a pipe. A real one would stop the writer; this one drops what is too much. */
const CAPACITY = 1024 * 1024;

/** Somebody writes into a pipe that nobody reads any more: what SIGPIPE is for. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}

/** A pipe between two commands. */
export interface Pipe extends Input {
  /** Throws {@link PipeClosed} after `close`. */
  write(text: string): void;
  /** The writer has ended: what was written can still be read. */
  end(): void;
  /** The reader has ended. */
  close(): void;
}

export function createPipe(): Pipe {
  let waiting = '';
  let ended = false;
  let closed = false;
  let wake: (() => void) | undefined;
  return {
    async read(signal) {
      while (waiting === '' && !ended) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const onAbort = (): void => reject(signal.reason);
        signal.throwIfAborted();
        signal.addEventListener('abort', onAbort, { once: true });
        wake = resolve;
        await promise.finally(() => signal.removeEventListener('abort', onAbort));
      }
      const text = waiting;
      waiting = '';
      return text === '' ? undefined : text;
    },
    write(text) {
      if (closed) throw new PipeClosed('the pipe has no reader');
      waiting = (waiting + text).slice(0, CAPACITY);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    close() {
      closed = true;
    },
  };
}
