import type { Readable } from 'node:stream';
import { abortable } from '@rxlet/component-base';
import type { CommandStreams } from '@rxlet/streaming';
import type { OutputStream } from '../logs/log-line.ts';
import { emptyInput, type Input } from '../process/program.ts';

/** Maximum backlog of a client: a program of the fake is not held back, and its output is not buffered without limit. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Returns a client's input as that of a program; empty when the client requested none. */
export function inputFrom(stdin: Readable | undefined): Input {
  if (stdin === undefined) return emptyInput;
  stdin.setEncoding('utf8');
  return {
    async read(signal) {
      for (;;) {
        signal.throwIfAborted();
        const text = stdin.read() as string | null;
        if (text !== null) return text;
        if (stdin.readableEnded || stdin.destroyed) return undefined;
        await changed(stdin, signal);
      }
    },
  };
}

/**
 * Returns a function that writes a program's output to a client. Unrequested output is dropped, and a terminal has one output. A client that does not read gets no
 * more of the stream.
 */
export function outputTo(
  { stdout, stderr }: Pick<CommandStreams, 'stdout' | 'stderr'>,
  hasTerminal: boolean,
): (stream: OutputStream, text: string) => void {
  return (stream, text) => {
    const target = stream === 'stdout' || hasTerminal ? stdout : stderr;
    if (target?.writable !== true) return;
    target.write(text);
    if (target.writableLength > MAX_BUFFERED_BYTES) target.destroy();
  };
}

/** Resolves when there may be more input, or its end. Rejects when `signal` aborts. */
function changed(stdin: Readable, signal: AbortSignal): Promise<void> {
  const events = ['readable', 'end', 'close'];
  const { promise, resolve } = Promise.withResolvers<void>();
  const onChange = (): void => resolve();
  for (const event of events) stdin.on(event, onChange);
  return abortable(promise, signal).finally(() => {
    for (const event of events) stdin.off(event, onChange);
  });
}
