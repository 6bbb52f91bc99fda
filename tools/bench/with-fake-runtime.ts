import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import { startProcess, until } from './child-process.ts';

/** Runs `task` with a fake runtime in a process of its own, a client of it, and a folder that is removed afterwards. */
export async function withFakeRuntime(
  task: (client: CriClient, endpoint: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-bench-'));
  try {
    const endpoint = `unix://${folder}/cri.sock`;
    await using _server = startProcess('fake-runtime', ['--listen', endpoint]);
    await using client = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
    const answers = (): Promise<boolean> =>
      client.runtime.version({}).then(
        () => true,
        () => false,
      );
    await until('the fake runtime answers', answers, 20_000);
    await task(client, endpoint, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
