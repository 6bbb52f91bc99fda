import { createProgram } from './program.ts';
import { runProgram } from './run-program.ts';

const interrupted = new AbortController();
let signals = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    signals += 1;
    // A second signal skips the orderly end.
    if (signals > 1) process.exit(1);
    interrupted.abort();
  });
}
// Without the launcher's flag, Node.js would open its inspector.
process.on('SIGUSR1', () => undefined);
// The bundle is CommonJS, which has no top-level await.
void runProgram(createProgram(process.argv.slice(2), interrupted.signal), process, interrupted).then((code) => {
  process.exitCode = code;
});
