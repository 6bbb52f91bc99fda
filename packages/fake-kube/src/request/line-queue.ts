/** Lines on their way to a reader that may be slow. */
export interface LineQueue extends AsyncIterable<Uint8Array> {
  /** Adds a line. A reader that is too far behind is cut off. */
  push(line: unknown): void;
  /** Ends the stream after the lines added so far. */
  end(): void;
  /** Sends nothing more, and does not end: a connection that died unnoticed. */
  freeze(): void;
  /** Breaks the stream at once, as a lost connection does. */
  abort(error: Error): void;
}

/** Lines that may wait for a reader; a real server cuts off slow watches as well. */
const MAX_WAITING = 10_000;

/**
 * Creates a {@link LineQueue} of JSON lines.
 *
 * @param first lines that are there from the start, however many
 * @param onClose runs once, when the stream has ended or its reader is gone
 */
export function createLineQueue(first: readonly unknown[], onClose: () => void): LineQueue {
  const encoder = new TextEncoder();
  const encode = (line: unknown): Uint8Array => encoder.encode(`${JSON.stringify(line)}\n`);
  const waiting = first.map(encode);
  const limit = waiting.length + MAX_WAITING;
  let ended: { readonly error: Error | undefined } | undefined;
  let isFrozen = false;
  let resume: (() => void) | undefined;
  const notify = (): void => {
    resume?.();
    resume = undefined;
  };
  const finish = (error: Error | undefined): void => {
    if (ended !== undefined) return;
    ended = { error };
    onClose();
    notify();
  };
  return {
    push(line) {
      if (ended !== undefined || isFrozen) return;
      waiting.push(encode(line));
      if (waiting.length > limit) finish(undefined);
      notify();
    },
    end: () => {
      if (!isFrozen) finish(undefined);
    },
    freeze: () => void (isFrozen = true),
    abort(error) {
      waiting.length = 0;
      finish(error);
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift()!;
          if (ended !== undefined) {
            if (ended.error !== undefined) throw ended.error;
            return;
          }
          await new Promise<void>((resolve) => (resume = resolve));
        }
      } finally {
        finish(undefined);
      }
    },
  };
}
