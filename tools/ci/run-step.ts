import { spawn } from 'node:child_process';
import { onAbort, systemClock } from '@rxlet/component-base';
import type { StepResult } from './run-stages.ts';
import type { Step } from './step.ts';

/** Time in which the processes of an aborted step may clean up. */
const GRACE_PERIOD_MS = 30_000;

/** Runs a step in a process group of its own and collects its output. An abort ends the whole group. */
export function runStep({ command, nice = false }: Step, cwd: string, signal: AbortSignal): Promise<StepResult> {
  const start = systemClock.monotonicNow();
  const script = `exec 2>&1\n${nice ? 'renice -n 10 -p $$ >/dev/null\n' : ''}set -e\n${command}`;
  const child = spawn('bash', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const log: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const cleanUp = new DisposableStack();
  const kill = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const stop = (): void => {
    kill('SIGTERM');
    cleanUp.use(systemClock.setTimer(GRACE_PERIOD_MS, () => kill('SIGKILL')));
  };
  cleanUp.use(onAbort(signal, stop));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      cleanUp.dispose();
      const seconds = (systemClock.monotonicNow() - start) / 1000;
      resolve({ exitCode: code ?? 1, seconds, log: log.join('') });
    });
  });
}
