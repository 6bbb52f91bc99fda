import { spawn } from 'node:child_process';
import { type Clock, onAbort } from '@rxlet/component-base';
import { withDeadline } from '@rxlet/component-base';

/** A program to run. */
export interface ProgramRun {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Open file that the program inherits as descriptor 3. */
  readonly descriptor?: number | undefined;
  readonly timeoutMs: number;
}

/** End of a program. */
export interface ProgramResult {
  /** How it ended, such as `exit status 32`; `undefined` for success. */
  readonly failure?: string | undefined;
  /** Beginning of its output and error output. */
  readonly output: string;
}

/** Longest wait for the rest of the output of a program that has ended. */
const OUTPUT_WAIT_MS = 200;
/** Longest output of a program that is kept. */
export const MAX_OUTPUT_BYTES: number = 16 * 1024;
/** Environment of programs, which nothing of the agent's reaches. */
export const environment: NodeJS.ProcessEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** A program that was given up, because it did not end after its deadline. */
export interface RunningProgram {
  /** Resolves when the program has ended for good. */
  readonly ended: Promise<void>;
}

/**
 * Runs a program without a shell. At the deadline, or when the signal aborts, the program is killed and the call rejects at once: a program that waits for an
 * unreachable server ends only when the server answers.
 */
export function runProgram(
  clock: Clock,
  { program, arguments: args, descriptor, timeoutMs }: ProgramRun,
  signal?: AbortSignal,
): RunningProgram & { readonly result: Promise<ProgramResult> } {
  const ended = Promise.withResolvers<void>();
  let isStarted = false;
  const run = (deadline: AbortSignal): Promise<ProgramResult> =>
    new Promise((resolve, reject) => {
      // Throws when the machine has no memory for it, among others.
      const child = spawn(program, args, {
        cwd: '/',
        env: environment,
        shell: false,
        stdio: ['ignore', 'pipe', 'pipe', ...(descriptor === undefined ? [] : [descriptor])],
      });
      isStarted = true;
      const listener = onAbort(deadline, () => child.kill('SIGKILL'));
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(0, MAX_OUTPUT_BYTES);
        });
      }
      child.on('error', (error) => {
        ended.resolve();
        reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error }));
      });
      child.on('exit', (code, killedBy) => {
        listener[Symbol.dispose]();
        ended.resolve();
        const finish = (): void => {
          timer[Symbol.dispose]();
          child.stdout?.destroy();
          child.stderr?.destroy();
          resolve({ failure: failureOf(code, killedBy), output: output.trimEnd() });
        };
        // A helper that goes on in the background, such as that of NFS locks, may keep the pipes open for ever.
        const timer = clock.setTimer(OUTPUT_WAIT_MS, finish);
        child.once('close', finish);
      });
    });
  const result = withDeadline(clock, timeoutMs, signal, run);
  // The signal may have been aborted before.
  if (!isStarted) ended.resolve();
  return { result, ended: ended.promise };
}

/** Returns how a program has failed; `undefined` when it has not. */
export function failureOf(code: number | null, killedBy: string | null): string | undefined {
  if (code === 0) return undefined;
  return code === null ? `signal: ${String(killedBy)}` : `exit status ${String(code)}`;
}
