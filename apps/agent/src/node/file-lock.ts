import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { type Clock, errorMessage, onAbort, sleep } from '@rxlet/component-base';

/** A lock on a file that only one agent of the machine holds. Disposing of it releases it, as does the end of the process. */
export interface FileLock extends AsyncDisposable {
  /** Resolves when another process waits for the lock, or when the file is deleted or replaced. Rejects when `signal` aborts. */
  contention(signal: AbortSignal): Promise<void>;
}

/** Period of the checks for other processes. */
const CHECK_PERIOD_MS = 1000;

/**
 * Creates the file, if it does not exist, and waits without a limit for its exclusive lock (kubelet flag `--lock-file`).
 *
 * @throws Error when the file cannot be opened or locked; the reason of `signal` once it aborts
 */
export async function acquireFileLock(
  path: string,
  { clock }: { readonly clock: Clock },
  signal: AbortSignal,
): Promise<FileLock> {
  const file = await lock(path, signal);
  const { ino } = await file.stat();
  const isContended = async (): Promise<boolean> => {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    });
    return found?.ino !== ino || (await hasWaiter(file));
  };
  return {
    async contention(given) {
      // A check that fails, as without file descriptors, is repeated: it says nothing about other processes.
      while (!(await isContended().catch(() => false))) await sleep(clock, CHECK_PERIOD_MS, given);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function lock(path: string, signal: AbortSignal): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'a', 0o600);
    await lockDescriptor(file.fd, signal);
    return file;
  } catch (error) {
    await file?.close();
    signal.throwIfAborted();
    throw new Error(`cannot acquire the file lock "${path}" (--lock-file): ${errorMessage(error)}`, { cause: error });
  }
}

/** Node.js has no system call for locks. That of the program is on the open file, which is this process's as well, so that it outlives the program. */
async function lockDescriptor(descriptor: number, signal: AbortSignal): Promise<void> {
  const child = spawn('flock', ['--exclusive', '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor] });
  using _kill = onAbort(signal, () => void child.kill('SIGKILL'));
  let output = '';
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(output.trim() || `flock ended with ${String(code)}`);
}

/** Reports whether a process waits for the lock. The kernel lists it with an arrow, and the device and inode of the file. */
async function hasWaiter({ fd }: FileHandle): Promise<boolean> {
  const held = /^lock:.* FLOCK .* (\S+:\S+:\d+) 0 EOF$/m.exec(
    await readFile(`/proc/self/fdinfo/${String(fd)}`, 'latin1'),
  );
  if (held === null) return false;
  const lines = (await readFile('/proc/locks', 'latin1')).split('\n');
  return lines.some((line) => / -> FLOCK /.test(line) && line.includes(` ${held[1]!} `));
}
