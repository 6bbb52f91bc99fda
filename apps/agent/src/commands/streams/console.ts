import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '@rxlet/streaming/client';

/** Standard input and output of a command that connects them to a container. */
export interface Console {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether standard input is a terminal. */
  readonly isTerminal: boolean;
  /** In raw mode keys such as Ctrl-C are input, and nothing is echoed. */
  setRawMode(isRaw: boolean): void;
  /** Current size of the terminal, if there is one. */
  size(): TerminalSize | undefined;
  /** Calls `listener` when the size has changed (SIGWINCH), until it is disposed of. */
  onResize(listener: () => void): Disposable;
}

/** Returns the console of this process. */
export function processConsole(): Console {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    isTerminal: stdin.isTTY,
    setRawMode: (isRaw) => void stdin.setRawMode(isRaw),
    size: () => (stdout.isTTY ? { width: stdout.columns, height: stdout.rows } : undefined),
    onResize(listener) {
      stdout.on('resize', listener);
      return { [Symbol.dispose]: () => void stdout.off('resize', listener) };
    },
  };
}
