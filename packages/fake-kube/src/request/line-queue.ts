import { createBoundedQueue } from '@rxlet/component-base/queues';

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
  const queue = createBoundedQueue<Uint8Array>({ capacity: first.length + MAX_WAITING, onEnd: onClose });
  const push = (line: unknown): void => {
    if (!queue.push(encoder.encode(`${JSON.stringify(line)}\n`))) queue.close();
  };
  let isFrozen = false;
  first.forEach(push);
  return {
    push(line) {
      if (!isFrozen) push(line);
    },
    end() {
      if (!isFrozen) queue.close();
    },
    freeze: () => void (isFrozen = true),
    abort: queue.abort,
    [Symbol.asyncIterator]: () => queue,
  };
}
