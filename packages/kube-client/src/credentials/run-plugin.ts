import { spawn } from 'node:child_process';
import { onAbort } from '@rxlet/component-base';

/** Runs a program and returns its standard output. Rejects when it fails; `code` is `ENOENT` when it does not exist. */
export type RunPlugin = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<string>;

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Runs programs as processes, with the agent's own environment and nothing on standard input. One that is given up is killed with its children. */
export const runPluginProcess: RunPlugin = (command, args, env, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    let listener: Disposable | undefined = undefined;
    // In a process group of its own, so that its children can be killed with it.
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...env },
    });
    child.once('error', (error) => {
      listener?.[Symbol.dispose]();
      reject(error);
    });
    // A child that cannot be spawned has no streams when all descriptors are in use.
    if (child.pid === undefined) return;
    const { pid } = child;
    const giveUp = (reason: Error): void => {
      listener?.[Symbol.dispose]();
      // After its end, another process may have its number.
      if (child.exitCode === null && child.signalCode === null) killGroup(pid);
      // Do not wait for a process that has left the group and holds the pipe.
      child.stdout.destroy();
      reject(reason);
    };
    listener = onAbort(signal, giveUp);

    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
      else giveUp(new Error(`it wrote more than ${String(MAX_OUTPUT_BYTES)} bytes`));
    });
    child.once('close', (exitCode, endSignal) => {
      listener?.[Symbol.dispose]();
      if (exitCode === 0) resolve(Buffer.concat(chunks).toString());
      else reject(Object.assign(new Error('it failed'), { code: exitCode, signal: endSignal }));
    });
  });

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}
