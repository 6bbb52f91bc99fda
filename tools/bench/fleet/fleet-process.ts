import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import { workspace } from '../child-process.ts';

/** A running `rxlet-fleet`. Disposal ends it, and waits for that. */
export interface FleetProcess extends AsyncDisposable {
  readonly pid: number;
  /** Time from the start of the process until all nodes were ready, in seconds. */
  readonly readySeconds: number;
  /** Throws an Error with its last output when it has ended. */
  check(): void;
  /** Ends it. @returns the seconds that it took */
  stop(): Promise<number>;
}

/** Starts the command, and waits until its nodes are ready. @throws Error with its output when it ends before */
export async function startFleetProcess(args: readonly string[]): Promise<FleetProcess> {
  const startedMs = systemClock.monotonicNow();
  const child = spawn(join(workspace, 'apps/fleet/bin/rxlet-fleet'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => process.off('exit', kill));
  let output = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (output.includes('nodes are ready')) ready.resolve();
  });
  child.stderr.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-MAX_OUTPUT)));
  void ended.then(() => ready.reject(new Error(`the fleet ended: ${output}`)));
  await ready.promise;
  const stop = async (): Promise<number> => {
    const stopMs = systemClock.monotonicNow();
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await ended;
    return (systemClock.monotonicNow() - stopMs) / 1000;
  };
  return {
    pid: child.pid!,
    readySeconds: (systemClock.monotonicNow() - startedMs) / 1000,
    check() {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the fleet ended (${String(child.exitCode ?? child.signalCode)}): ${output}`);
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

const MAX_OUTPUT = 10_000;
