import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '@rxlet/node-files';

/** Writes to a file of the kernel in one call. Never creates a file. */
export async function writeKernelFile(path: string, content: string): Promise<void> {
  await using file = await open(path, constants.O_WRONLY);
  await file.write(content);
}

/** Reads a file of the kernel, without the line break at its end; `undefined` when there is none. */
export async function readKernelFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trimEnd();
  } catch (error) {
    return unlessGone(error, undefined);
  }
}

/** Creates a directory in an existing one. Returns whether it is new. */
export async function makeCgroup(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o755);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes an empty cgroup; succeeds when there is none. */
export async function removeCgroup(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    unlessGone(error, undefined);
  }
}

/** Returns the names of the cgroups in a directory; none when there is no directory. */
export async function listCgroups(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    return unlessGone(error, []);
  }
}

/** Returns the processes of a directory. */
export async function listOwnProcesses(path: string): Promise<number[]> {
  const text = await readKernelFile(join(path, 'cgroup.procs'));
  // A process of another pid namespace is listed as 0.
  return (text ?? '')
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Returns the processes of a directory and of those below it. */
export async function listProcesses(path: string): Promise<number[]> {
  const pids = await listOwnProcesses(path);
  const nested = await Promise.all((await listCgroups(path)).map((name) => listProcesses(join(path, name))));
  return [...pids, ...nested.flat()];
}

/** Moves a process to a cgroup; one that has ended is left out. */
export async function moveProcess(path: string, pid: number): Promise<void> {
  try {
    await writeKernelFile(join(path, 'cgroup.procs'), String(pid));
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

/** Kills processes; those that have ended are left out. */
export function killProcesses(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (systemErrorCode(error) !== 'ESRCH') throw error;
    }
  }
}

/** Returns a value for a cgroup that has vanished. @throws any other error */
function unlessGone<T>(error: unknown, value: T): T {
  const code = systemErrorCode(error);
  // A file of a cgroup that is removed while it is open reads as ENODEV.
  if (code === 'ENOENT' || code === 'ENODEV') return value;
  throw error;
}
