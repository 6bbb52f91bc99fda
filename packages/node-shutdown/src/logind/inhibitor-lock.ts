import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, errorMessage, withDeadline } from '@rxlet/component-base';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 4096;
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const ARGUMENTS = [
  '--what=shutdown',
  '--mode=delay',
  '--who=kubelet',
  '--why=Kubelet needs time to handle node shutdown',
  'cat',
];
const READY = 'held\n';

/** Ports of {@link holdInhibitorLock}. */
export interface InhibitorLockPorts {
  readonly clock: Clock;
  readonly busAddress: string;
  /** Called when the lock is lost without having been disposed of. */
  readonly lost: (error: Error) => void;
}

/**
 * Takes a lock that delays shutdowns. `systemd-inhibit` holds it as long as its program `cat` runs, which ends with its input: when the lock is disposed of, and
 * when the agent ends in any way.
 *
 * @throws Error when the lock cannot be taken
 */
export async function holdInhibitorLock(
  { clock, busAddress, lost }: InhibitorLockPorts,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const env = { PATH: SEARCH_PATH, LC_ALL: 'C', DBUS_SYSTEM_BUS_ADDRESS: busAddress };
  // In a process group of its own, because an interrupt from a terminal must not end it.
  const child = spawn('systemd-inhibit', ARGUMENTS, { cwd: '/', env, stdio: 'pipe', detached: true });
  // A child that cannot be spawned has no streams when all descriptors are in use.
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw notTaken(error);
  }
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  let isReleased = false;
  const release = async (): Promise<void> => {
    isReleased = true;
    child.stdin.destroy();
    child.kill('SIGTERM');
    await ended;
  };
  const held = async (): Promise<void> => {
    let output = '';
    let problem = '';
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problem = (problem + text).slice(0, MAX_OUTPUT_BYTES);
    });
    const ready = new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => reject(new Error(problem.trim() || 'the program has ended')));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(0, MAX_OUTPUT_BYTES);
        if (output.startsWith(READY)) resolve();
      });
    });
    ready.catch(() => undefined);
    await Promise.race([once(child, 'spawn'), ready]);
    // The program starts once the lock is held, and returns its input.
    child.stdin.write(READY);
    await ready;
  };
  try {
    await withDeadline(clock, TIMEOUT_MS, signal, held);
  } catch (error) {
    await release();
    throw notTaken(error);
  }
  void ended.then(() => void (isReleased || lost(new Error('systemd-inhibit has ended, and the lock with it'))));
  return { [Symbol.asyncDispose]: release };
}

function notTaken(cause: unknown): Error {
  return new Error(`cannot take the lock that delays shutdowns with systemd-inhibit: ${errorMessage(cause)}`, {
    cause,
  });
}
