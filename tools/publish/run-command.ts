import { execFile } from 'node:child_process';
import { dirname } from 'node:path';

const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * Runs a program to its end and returns its standard output. `node` is the one that runs this process.
 *
 * @throws Error with all output when the program fails
 */
export function runCommand(
  program: string,
  args: readonly string[],
  cwd: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<string> {
  const options = { cwd, env: environment(), timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(new Error(`"${[program, ...args].join(' ')}" failed in ${cwd}\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

/** Returns the environment of commands: as a user has it, with the Node.js of this process as `node`. */
export function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env;
  return { ...inherited, PATH: `${dirname(process.execPath)}:${inherited['PATH'] ?? ''}` };
}
