import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';

/** The program `journalctl`. */
export interface JournalProgram {
  /** Starts the program with these arguments, without a shell. Rejects when it cannot be started, for example because the node does not have it. */
  start(args: readonly string[]): Promise<JournalProcess>;
}

/** A running program. Disposing of it kills it, and resolves when it has ended. */
export interface JournalProcess extends AsyncDisposable {
  /** Output and error output, as they come. The program is held back while its output is not read. Ends with the program, or when it is disposed of. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Whether the program has succeeded. Resolves when its output has been read. */
  readonly succeeded: Promise<boolean>;
  /** Kills the program. What it has written can still be read. */
  kill(): void;
}

const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Creates a {@link JournalProgram} that runs the first `journalctl` of a search path. Default: that of the agent. */
export function createJournalProgram(searchPath: string = process.env['PATH'] ?? SEARCH_PATH): JournalProgram {
  // The times of the arguments are in UTC.
  const env = { PATH: searchPath, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  return {
    async start(args) {
      // In a process group of its own, so that its children end with it.
      const child = spawn('journalctl', args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      await once(child, 'spawn');
      return processOf(child);
    },
  };
}

function processOf(child: Child): JournalProcess {
  const merged = new PassThrough();
  const exited = once(child, 'exit');
  let isDisposed = false;
  const kill = (): void => {
    // After its end, another process may have its number.
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group is gone.
    }
  };
  const succeeded = once(child, 'close').then(([code]) => {
    merged.end();
    return code === 0;
  });
  for (const stream of [child.stdout, child.stderr]) {
    // What has come before the error is all there is.
    stream.on('error', () => undefined).pipe(merged, { end: false });
  }
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of merged as AsyncIterable<Buffer>) yield chunk;
    } catch (error) {
      if (!isDisposed) throw error;
    }
  }
  return {
    output: read(),
    succeeded,
    kill,
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      kill();
      for (const stream of [child.stdout, child.stderr, merged]) stream.destroy();
      await exited;
    },
  };
}
