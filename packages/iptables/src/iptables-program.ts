import { execFile } from 'node:child_process';
import { errorMessage } from '@rxlet/component-base';
import type { AddressFamily } from './chain-rules.ts';

/** Runs iptables. Resolves when it has ended, whatever its exit code; rejects when it cannot be started, takes too long, or `signal` aborts. */
export type IptablesProgram = (
  args: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly exitCode: number; readonly output: string }>;

/** Longer than the wait for the lock of the tables. */
const TIMEOUT_MS = 30_000;

/** Returns the {@link IptablesProgram} of this machine for a family. */
export function iptablesOfMachine(family: AddressFamily): IptablesProgram {
  const program = family === 'IPv4' ? 'iptables' : 'ip6tables';
  return (args, signal) =>
    new Promise((resolve, reject) => {
      execFile(program, [...args], { signal, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
        if (error === null) resolve({ exitCode: 0, output: stdout });
        else if (typeof error.code === 'number') resolve({ exitCode: error.code, output: stderr });
        else reject(new Error(`cannot run ${program}: ${errorMessage(error)}`, { cause: error }));
      });
    });
}
