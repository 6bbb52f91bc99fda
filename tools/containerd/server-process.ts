import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

const LOG_TAIL_LINES = 25;

/** A server program that writes to a log file. */
export interface ServerProcess {
  /** `undefined` when it could not be started. */
  readonly pid: number | undefined;
  /** Returns the end of its log. */
  readonly log: () => string;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program that ends with this process, even if that is killed. */
export function startServer(program: string, args: readonly string[], logPath: string): ServerProcess {
  const output = openSync(logPath, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    pid: child.pid,
    log: () => readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
