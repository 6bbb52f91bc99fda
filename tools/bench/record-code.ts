import { join } from 'node:path';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Runs an agent with one pod, which records its code at its end: later agents are measured as those that have run before. */
export async function recordCode(): Promise<void> {
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), 1);
    await using agent = await startMeasuredAgent({ endpoint, folder, hints: 'cri' });
    await agent.run('start', 1);
  });
}
