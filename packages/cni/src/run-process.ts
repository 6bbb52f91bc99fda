import { spawn } from 'node:child_process';
import { onAbort } from '@rxlet/component-base';

/** A program to run to its end. */
export interface ProcessRequest {
  /** Absolute path of the program. */
  readonly path: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Largest output, on each of standard output and standard error, in bytes. */
  readonly maxOutputBytes: number;
}

/** End of a program. */
export interface ProcessEnd {
  /** Exit code; `undefined` when a signal ended it. */
  readonly exitCode: number | undefined;
  /** Signal that ended it. */
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end. Rejects when it cannot start, exceeds its output, or `signal` aborts; the program and its children are killed then.
 */
export type RunProcess = (request: ProcessRequest, signal: AbortSignal) => Promise<ProcessEnd>;

/** Runs a program in a process group of its own, so that its children end with it. */
export const runProcess: RunProcess = (request, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const child = spawn(request.path, [], { detached: true, stdio: 'pipe', env: { ...request.environment } });
    // A child that cannot be spawned has no streams when all descriptors are in use.
    if (child.pid === undefined) {
      child.once('error', reject);
      return;
    }
    let listener: Disposable | undefined = undefined;
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group is gone.
      }
    };
    const fail = (error: Error): void => {
      listener?.[Symbol.dispose]();
      kill();
      reject(error);
    };
    listener = onAbort(signal, fail);

    const outputs = [child.stdout, child.stderr].map((stream) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      stream.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > request.maxOutputBytes) {
          fail(new Error(`the output exceeds ${String(request.maxOutputBytes)} bytes`));
        } else chunks.push(chunk);
      });
      return chunks;
    });
    child.once('error', fail);
    // A program may end without having read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(request.stdin);
    child.once('close', (code, endSignal) => {
      listener?.[Symbol.dispose]();
      const [stdout, stderr] = outputs.map((chunks) => Buffer.concat(chunks).toString('utf8'));
      resolve({ exitCode: code ?? undefined, signal: endSignal ?? undefined, stdout: stdout!, stderr: stderr! });
    });
  });
