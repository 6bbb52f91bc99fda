/** Where a command writes to, and what tells it to stop. */
export interface Terminal {
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes bytes to standard output as they are; resolves when they are taken. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The terminal of this process. */
export function processTerminal(signal: AbortSignal): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    write: (bytes) =>
      new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
    printError: (line) => void process.stderr.write(`${line}\n`),
    signal,
  };
}
