import { createProgram, loadModuleFlags } from './program.ts';
import { runProgram } from './run-program.ts';

const interrupted = new AbortController();
let signals = 0;
const interrupt = (): void => {
  signals += 1;
  // A second signal skips the orderly end.
  if (signals > 1) process.exit(1);
  interrupted.abort();
};
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt);
process.on('SIGHUP', () => {
  // An agent without a terminal reads its configuration again instead.
  if (process.listenerCount('SIGHUP') === 1) interrupt();
});
// Without the launcher's flag, Node.js would open its inspector.
process.on('SIGUSR1', () => undefined);
// Drains the node once the agent runs; before, it must not end the process.
process.on('SIGUSR2', () => undefined);
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const program = createProgram(args, interrupted.signal, await loadModuleFlags(args));
  process.exitCode = await runProgram(program, process, interrupted);
}

// The bundle is CommonJS, which has no top-level await.
void main();
