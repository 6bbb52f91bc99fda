import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { errorMessage, onAbort } from '@rxlet/component-base';
import { hide } from './hidden.ts';
import type { ProviderProcesses, ProviderResult } from './provider-processes.ts';

/** Maximum size of an answer; a longer one is an error. */
export const MAX_PROVIDER_OUTPUT_BYTES = 1_048_576;
const MAX_STDERR_BYTES = 8192;

/** Error of a credential provider's program that cannot be run. */
export class ProviderProcessError extends Error {
  override readonly name = 'ProviderProcessError';
  readonly reason: 'UnusableProgram' | 'OutputTooLarge';

  constructor(reason: ProviderProcessError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** {@link ProviderProcesses} on this machine. */
export interface NodeProviderProcesses extends ProviderProcesses {
  /** Rejects with {@link ProviderProcessError} when the program of a provider is missing or must not be run. Call it at start-up. */
  check(name: string): Promise<void>;
}

/**
 * Creates {@link NodeProviderProcesses} for the programs in `binDirectory`.
 * @throws {@link ProviderProcessError} when that is not an absolute path.
 */
export function createNodeProviderProcesses(binDirectory: string): NodeProviderProcesses {
  if (!isAbsolute(binDirectory))
    throw unusable(
      `the folder of the credential providers must be an absolute path, not ${JSON.stringify(binDirectory)}`,
    );

  const programOf = async (name: string): Promise<string> => {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) {
      throw unusable(`${JSON.stringify(name)} is not the name of a program`);
    }
    const program = join(binDirectory, name);
    try {
      const stats = await stat(program);
      if (!stats.isFile()) throw new Error('it is not a regular file');
      // The agent runs as root, so a user who may write to the program would become root.
      if ((stats.mode & 0o002) !== 0) throw new Error('every user may write to it; chmod o-w it');
      await access(program, constants.X_OK);
    } catch (error) {
      throw unusable(`the credential provider ${program} cannot be run: ${errorMessage(error)}`);
    }
    return program;
  };

  return {
    check: async (name) => void (await programOf(name)),
    async run(command, signal) {
      const program = await programOf(command.name);
      signal.throwIfAborted();
      const added = Object.fromEntries(command.env.map(({ name, value }) => [name, value]));
      return execute(program, command.args, { ...process.env, ...added }, command.stdin, signal);
    },
  };
}

function execute(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdin: string,
  signal: AbortSignal,
): Promise<ProviderResult> {
  return new Promise((resolve, reject) => {
    // In a process group of its own, so that its children can be killed with it.
    const child = spawn(program, args, { env, stdio: 'pipe', detached: true });
    const notRun = (error: Error): void =>
      reject(unusable(`the credential provider ${program} cannot be run: ${error.message}`));
    // A child that cannot be spawned has no streams when all descriptors are in use.
    if (child.pid === undefined) {
      child.once('error', notRun);
      return;
    }
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let stdoutBytes = 0;
    let stderrBytes = 0;

    let ended = false;
    const killGroup = (): void => {
      // After its end, another process may have its number.
      if (ended || child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The whole group has ended.
      }
    };
    let listener: Disposable | undefined = undefined;
    const kill = (reason: Error): void => {
      listener?.[Symbol.dispose]();
      killGroup();
      // Do not wait for a process that has left the group and holds the pipes.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      reject(reason);
    };
    listener = onAbort(signal, kill);

    child.on('error', (error) => {
      listener?.[Symbol.dispose]();
      notRun(error);
    });
    // A program may exit without reading the request.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    child.stdout.on('data', (chunk: Buffer) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes <= MAX_PROVIDER_OUTPUT_BYTES) stdout.push(chunk);
      else
        kill(
          new ProviderProcessError('OutputTooLarge', `it wrote more than ${String(MAX_PROVIDER_OUTPUT_BYTES)} bytes`),
        );
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderrBytes < MAX_STDERR_BYTES) stderr.push(chunk.subarray(0, MAX_STDERR_BYTES - stderrBytes));
      stderrBytes += chunk.length;
    });
    child.on('exit', () => {
      // Left-over children would keep the pipes open.
      killGroup();
      ended = true;
    });
    child.on('close', (exitCode) => {
      listener?.[Symbol.dispose]();
      resolve(
        hide(
          { exitCode: exitCode ?? undefined },
          { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() },
        ),
      );
    });
  });
}

function unusable(message: string): ProviderProcessError {
  return new ProviderProcessError('UnusableProgram', message);
}
