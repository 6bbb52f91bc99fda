import { type Command, CommanderError } from 'commander';
import { CommandExitError } from './commands/streams/command-exit-error.ts';
import { UsageError } from './config/config-error.ts';

/** Exit code of a wrong command line, as of most Unix commands. */
const USAGE_ERROR = 2;

/** The parts of an output stream that report failures. */
export interface OutputStream {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** The parts of `process` through which a program runs. */
export interface ProgramProcess {
  readonly argv: readonly string[];
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/**
 * Runs the command line and returns its exit code: 0 on success, on an interruption, and when the reader of the output left (`rxlet events | head`);
 * 1 on failure; 2 when the command line is wrong; that of the command in a container. A failure is one line on standard error. When standard output fails, `interruption` is aborted.
 */
export async function runProgram(
  program: Command,
  { argv, stdout, stderr }: ProgramProcess,
  interruption: AbortController,
): Promise<number> {
  let outputFailure: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error) => {
    outputFailure ??= error;
    interruption.abort();
  });
  // A failure of standard error cannot be reported anywhere.
  stderr.on('error', () => undefined);
  const fail = async (error: unknown): Promise<void> => {
    const { failureLine } = await import('./failure-line.ts');
    stderr.write(failureLine(error));
  };

  let exitCode = 0;
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommandExitError) {
      if (error.message !== '') await fail(error);
      exitCode = error.code;
    } else if (error instanceof CommanderError) {
      exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR;
    } else if (!interruption.signal.aborted) {
      await fail(error);
      exitCode = error instanceof UsageError ? USAGE_ERROR : 1;
    }
  }
  // Streams report the failure of a write only after the write has returned, and a failed one does not call back.
  if (outputFailure === undefined)
    await new Promise<void>((resolve) => {
      stdout.on('error', () => resolve());
      stdout.write('', () => resolve());
    });
  if (outputFailure === undefined || outputFailure.code === 'EPIPE') return exitCode;
  await fail(new Error('cannot write to standard output', { cause: outputFailure }));
  return 1;
}
