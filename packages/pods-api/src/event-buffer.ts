/** Events that a subscriber has not taken yet, in order. */
export interface EventBuffer<T> {
  /** Adds an event. @returns whether there was room; `false` once the buffer is closed */
  push(event: T): boolean;
  /** Ends the events after those in the buffer, with an error if there is one. */
  close(error?: Error): void;
  /** Takes the events until the buffer is closed. Throws the signal's reason when it aborts. For one reader. */
  take(signal: AbortSignal): AsyncGenerator<T, void, undefined>;
}

/** Creates a buffer that holds up to `capacity` events. */
export function createEventBuffer<T>(capacity: number): EventBuffer<T> {
  const events: T[] = [];
  let end: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;
  return {
    push(event) {
      if (end !== undefined || events.length >= capacity) return false;
      events.push(event);
      wake();
      return true;
    },
    close(error) {
      end ??= { error };
      wake();
    },
    async *take(signal) {
      const onAbort = (): void => wake();
      signal.addEventListener('abort', onAbort);
      try {
        for (;;) {
          signal.throwIfAborted();
          const [event] = events.splice(0, 1);
          if (event !== undefined) yield event;
          else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else if (end.error === undefined) return;
          else throw end.error;
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
