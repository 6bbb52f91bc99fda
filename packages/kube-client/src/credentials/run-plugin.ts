import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program and returns its standard output. Rejects when it fails; `code` is `ENOENT` when it does not exist. */
export type RunPlugin = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<string>;

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Runs programs as processes, with the agent's own environment and nothing on standard input. */
export const runPluginProcess: RunPlugin = async (command, args, env, signal) => {
  const limits = { maxBuffer: MAX_OUTPUT_BYTES, signal, killSignal: 'SIGKILL' } as const;
  const running = promisify(execFile)(command, [...args], { env: { ...process.env, ...env }, ...limits });
  running.child.stdin?.end();
  return (await running).stdout;
};
