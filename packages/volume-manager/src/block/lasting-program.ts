import { spawn } from 'node:child_process';
import { readSync } from 'node:fs';
import { openUnnamedFile } from '../mount/mount-list.ts';
import { environment, failureOf, MAX_OUTPUT_BYTES, type ProgramResult } from '../mount/run-program.ts';

/**
 * Runs a program that must not be interrupted: it has no deadline, goes on when the agent ends, and does not keep the agent from ending. Its output goes to a file, because
 * it would be killed by the loss of a pipe. Rejects when it cannot be started.
 */
export async function runLastingProgram(program: string, args: readonly string[]): Promise<ProgramResult> {
  using file = openUnnamedFile('');
  const to = file?.descriptor ?? 'ignore';
  const child = spawn(program, args, {
    cwd: '/',
    env: environment,
    shell: false,
    detached: true,
    stdio: ['ignore', to, to],
  });
  child.unref();
  const failure = await new Promise<string | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => resolve(failureOf(code, killedBy)));
  });
  return { failure, output: file === undefined ? '' : contentOf(file.descriptor) };
}

function contentOf(descriptor: number): string {
  const buffer = Buffer.alloc(MAX_OUTPUT_BYTES);
  return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0)).trimEnd();
}
