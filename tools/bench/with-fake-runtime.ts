import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import { type MeasuredProcess, startProcess, until, workspace } from './child-process.ts';

/**
 * In memory where the machine has such a folder: the disk of a busy machine takes up to half a millisecond of CPU for a new directory (ext4 does not reuse
 * inodes that were just freed), which would be most of the cost of a pod.
 */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Runs `task` with a fake runtime in a process of its own, a client of it, and a folder that is removed afterwards. */
export async function withFakeRuntime(
  task: (client: CriClient, endpoint: string, folder: string, server: MeasuredProcess) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(scratch, 'rxlet-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const endpoint = `unix://${folder}/cri.sock`;
    await using server = startProcess([join(workspace, 'node_modules/.bin/fake-runtime'), '--listen', endpoint]);
    await using client = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
    const answers = (): Promise<boolean> =>
      client.runtime.version({}).then(
        () => true,
        () => false,
      );
    await until('the fake runtime answers', answers, 20_000);
    await task(client, endpoint, folder, server);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
