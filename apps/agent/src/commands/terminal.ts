/**
 * Output of a command, and its interruption. A failure of the output is not reported here but to `handleOutputFailures`, which also aborts `signal`.
 */
export interface Terminal {
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes bytes to standard output as they are; resolves when they are written or have failed. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Aborts on Ctrl-C and when standard output fails. */
  readonly signal: AbortSignal;
  /** Whether tables are coloured. */
  readonly colors: boolean;
  /** Whether standard error is a terminal, on which a line may be written over. */
  readonly isInteractive: boolean;
}

/** Returns the terminal of this process. */
export function processTerminal(signal: AbortSignal, colors: boolean): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    write: (bytes) => new Promise((resolve) => process.stdout.write(bytes, () => resolve())),
    printError: (line) => void process.stderr.write(`${line}\n`),
    signal,
    colors,
    isInteractive: process.stderr.isTTY,
  };
}
