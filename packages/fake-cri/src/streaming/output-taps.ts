import type { Container } from '../runtime-objects.ts';
import type { OutputStream } from '../logs/log-line.ts';
import type { LogWriter } from '../logs/log-writer.ts';

/** Receives output as the program writes it. */
export type OutputListener = (stream: OutputStream, text: string) => void;

/** Shares the output of containers between their logs and attached clients. */
export interface OutputTaps {
  /** Passes the further output of a running container to `listener`. @returns a function that ends it. */
  tap(container: Container, listener: OutputListener): () => void;
}

/** Creates {@link OutputTaps}: with the first client, a container's log writer is wrapped by one that also writes to the clients. */
export function createOutputTaps(): OutputTaps {
  const listenersOf = new WeakMap<LogWriter, Set<OutputListener>>();

  const tapped = (log: LogWriter | undefined): { writer: LogWriter; listeners: Set<OutputListener> } => {
    const listeners = new Set<OutputListener>();
    const writer: LogWriter = {
      write(stream, text) {
        log?.write(stream, text);
        for (const listener of listeners) listener(stream, text);
      },
      reopen: () => log?.reopen(),
      close() {
        listeners.clear();
        log?.close();
      },
    };
    return { writer, listeners };
  };

  return {
    tap(container, listener) {
      let listeners = container.log === undefined ? undefined : listenersOf.get(container.log);
      if (listeners === undefined) {
        const tap = tapped(container.log);
        listenersOf.set(tap.writer, tap.listeners);
        container.log = tap.writer;
        listeners = tap.listeners;
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
