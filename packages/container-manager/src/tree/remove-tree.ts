import { type Clock, sleep } from '@rxlet/component-base';
import { systemErrorCode } from '@rxlet/node-files';
import type { CgroupFileSystem } from './cgroup-file-system.ts';

/** Rounds of kills, as in the kubelet: processes may be forked while others are killed. */
const KILL_ROUNDS = 5;
/** Waits after a kill and before another attempt to remove a cgroup whose processes are ending. */
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 320;

/** Options of {@link removeTree}. */
export interface RemoveOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Kills all processes of a cgroup, and removes it and its children. Rejects when processes remain or `signal` aborts. */
export async function removeTree(
  cgroups: CgroupFileSystem,
  path: string,
  { clock, signal }: RemoveOptions,
): Promise<void> {
  await killAll(cgroups, path, clock, signal);
  await removeNested(cgroups, path, clock, signal);
}

async function killAll(
  cgroups: CgroupFileSystem,
  path: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  for (let round = 0; round < KILL_ROUNDS; round++) {
    if ((await cgroups.kill(path)) === 0) return;
    await sleep(clock, waitMs, signal);
    waitMs *= 2;
  }
}

async function removeNested(
  cgroups: CgroupFileSystem,
  path: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of await cgroups.children(path)) await removeNested(cgroups, `${path}/${name}`, clock, signal);
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      await cgroups.remove(path);
      return;
    } catch (error) {
      if (systemErrorCode(error) !== 'EBUSY' || waitMs > LONGEST_WAIT_MS) throw error;
    }
    await sleep(clock, waitMs, signal);
  }
}
