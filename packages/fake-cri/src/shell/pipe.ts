import type { Input } from '../process/program.ts';
import { abortable } from '@rxlet/component-base';

/** Maximum number of buffered characters of a pipe. A real pipe blocks the writer; this one drops the rest. */
const CAPACITY = 1024 * 1024;

/** Error of a write to a pipe without a reader, as SIGPIPE. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}

/** A pipe between two commands. */
export interface Pipe extends Input {
  /** Throws {@link PipeClosed} after `close`. */
  write(text: string): void;
  /** Ends the writer's side; buffered text can still be read. */
  end(): void;
  /** Ends the reader's side. */
  close(): void;
}

export function createPipe(): Pipe {
  let waiting = '';
  let ended = false;
  let closed = false;
  let notify: (() => void) | undefined;
  return {
    async read(signal) {
      while (waiting === '' && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.throwIfAborted();
        notify = resolve;
        await abortable(promise, signal);
      }
      const text = waiting;
      waiting = '';
      return text === '' ? undefined : text;
    },
    write(text) {
      if (closed) throw new PipeClosed('the pipe has no reader');
      waiting = (waiting + text).slice(0, CAPACITY);
      notify?.();
    },
    end() {
      ended = true;
      notify?.();
    },
    close() {
      closed = true;
    },
  };
}
