import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import type { BenchRun } from './bench-part.ts';
import { startProcess, until } from './child-process.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** The command `rxlet` as its users run it, all that it has beside the agent included: how long it takes to load, and what it costs at rest. */
export async function benchRxletCommand(run: BenchRun): Promise<void> {
  for (const podCount of [0, 110]) await measureCommand(run, podCount);
}

async function measureCommand({ print, long }: BenchRun, podCount: number): Promise<void> {
  const restSeconds = long ? 60 : 6;
  await withFakeRuntime(async (client, endpoint, folder) => {
    const manifests = join(folder, 'manifests');
    await writeManifests(manifests, podCount);
    await client.images.pullImage({ image: { image: IMAGE } });
    const config = join(folder, 'kubelet.yaml');
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      podLogsDir: join(folder, 'logs'),
    };
    await writeFile(config, JSON.stringify(kubelet));
    const allRun = async (): Promise<boolean> => {
      const { containers } = await client.runtime.listContainers({
        filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
      });
      return containers.length >= podCount;
    };
    const root = join(folder, 'root');
    const beganMs = systemClock.monotonicNow();
    const flags = ['--container-runtime-endpoint', endpoint, '--pod-manifest-path', manifests, '--root-dir', root];
    await using agent = startProcess('rxlet', [...flags, '--config', config, '--hostname-override', 'bench']);
    // The socket opens when everything is loaded and connected, right before the first look at the manifests.
    await until('the agent is loaded', async () => existsSync(join(root, 'rxlet.sock')));
    const loadedMs = systemClock.monotonicNow() - beganMs;
    await until(`${String(podCount)} pods run`, allRun, 120_000, 20);
    const { cpuMs } = await agent.usage();
    await sleep(systemClock, 4_000);
    const before = await agent.usage();
    await sleep(systemClock, restSeconds * 1000);
    const after = await agent.usage();
    print(
      `rxlet with ${String(podCount)} pods: loaded in ${(loadedMs / 1000).toFixed(2)} s, ${(cpuMs / 1000).toFixed(2)} s CPU until all run; ` +
        `at rest ${((after.cpuMs - before.cpuMs) / restSeconds).toFixed(1)} ms CPU a second, RSS ${after.rssMb.toFixed(0)} MB`,
    );
  });
}
