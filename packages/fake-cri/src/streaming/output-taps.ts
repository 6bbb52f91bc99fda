import type { Container } from '../container.ts';
import type { OutputStream } from '../logs/log-line.ts';
import type { LogWriter } from '../logs/log-writer.ts';

/** Takes output as the program writes it. */
export type OutputListener = (stream: OutputStream, text: string) => void;

/** Lets attached clients share the output of containers with their logs. */
export interface OutputTaps {
  /** Gives `listener` what a running container writes from now on; @returns what ends that. */
  tap(container: Container, listener: OutputListener): () => void;
}

/** Creates {@link OutputTaps}: on its first client, the log writer of a container gets one in front of it that also tells the clients. */
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
