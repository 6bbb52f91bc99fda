import { errorMessage } from '../error-message.ts';

/** The parts of the process that a command uses. */
export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Aborts on SIGTERM and SIGINT, and when standard output cannot be written. */
  readonly signal: AbortSignal;
}

/** The process of a command, `process`. */
export type CommandProcess = Pick<NodeJS.Process, 'argv' | 'on' | 'once' | 'stdout' | 'stderr' | 'exitCode'>;

/** Runs a command in `process` and sets the exit code that it returns. `name` is that of the command in messages. */
export async function runCommand(
  name: string,
  process: CommandProcess,
  run: (args: readonly string[], io: CommandIo) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  // Without the launcher's flag, Node.js would open its inspector.
  process.on('SIGUSR1', () => undefined);

  let outputFailure: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closed the pipe needs no more output.
    if (error.code === 'EPIPE' || outputFailure !== undefined) return;
    outputFailure = error;
    stop.abort();
    process.exitCode = 1;
    process.stderr.write(`${name}: cannot write to standard output: ${errorMessage(error)}\n`);
  });
  // A failure of standard error cannot be reported anywhere.
  process.stderr.on('error', () => undefined);

  const exitCode = await run(process.argv.slice(2), {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    signal: stop.signal,
  });
  process.exitCode = outputFailure === undefined ? exitCode : 1;
}
