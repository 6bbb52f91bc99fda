import { errorMessage } from '@rxlet/component-base';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';

const interrupted = new AbortController();
let signals = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    signals += 1;
    // Whoever asks twice does not want to wait for an orderly end.
    if (signals > 1) process.exit(1);
    interrupted.abort();
  });
}
// A reader that went away, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await createProgram(interrupted.signal).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else if (!interrupted.signal.aborted) {
    process.stderr.write(`rxlet: ${errorMessage(error)}\n`);
    process.exitCode = 1;
  }
}
