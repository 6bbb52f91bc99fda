import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import { startProcess, until } from './child-process.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/**
 * The agent in one process, a fake runtime without latency in another: how long it takes until the containers of all manifests run, and what the agent
 * costs at rest after that.
 */
export async function benchAgent(print: (line: string) => void, podCount: number, restSeconds = 0): Promise<void> {
  await withFakeRuntime(async (client, endpoint, folder) => {
    const manifests = join(folder, 'manifests');
    await mkdir(manifests);
    await client.images.pullImage({ image: { image: 'docker.io/library/busybox:1.36' } });
    for (let index = 0; index < podCount; index += 1) {
      await writeFile(join(manifests, `pod-${String(index)}.yaml`), manifest(index));
    }
    const config = join(folder, 'kubelet.yaml');
    await writeFile(
      config,
      ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration', `podLogsDir: ${folder}/logs`].join(
        '\n',
      ),
    );
    const running = async (): Promise<number> => {
      const { containers } = await client.runtime.listContainers({
        filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
      });
      return containers.length;
    };
    const root = join(folder, 'root');
    const beganMs = systemClock.monotonicNow();
    const flags = ['--container-runtime-endpoint', endpoint, '--pod-manifest-path', manifests, '--root-dir', root];
    await using agent = startProcess('rxlet', [...flags, '--config', config, '--hostname-override', 'bench']);
    // The socket opens when everything is loaded and connected, right before the first look at the manifests.
    await until('the agent is loaded', async () => existsSync(join(root, 'rxlet.sock')));
    const loadedMs = systemClock.monotonicNow();
    if (podCount > 0) {
      await until(`${String(podCount)} pods run`, async () => (await running()) >= podCount, 120_000, 20);
      const tookMs = systemClock.monotonicNow() - loadedMs;
      const { cpuMs } = await agent.usage();
      print(
        `${String(podCount)} pods from manifests to running containers: ${(tookMs / 1000).toFixed(2)} s, ` +
          `${String(Math.round((podCount / tookMs) * 1000))} pods/s; loading the agent before that: ` +
          `${((loadedMs - beganMs) / 1000).toFixed(2)} s; CPU in all: ${(cpuMs / 1000).toFixed(2)} s`,
      );
    }
    if (restSeconds === 0) return;
    await sleep(systemClock, 5_000);
    const before = await agent.usage();
    await sleep(systemClock, restSeconds * 1000);
    const after = await agent.usage();
    print(
      `at rest with ${String(podCount)} pods: ${((after.cpuMs - before.cpuMs) / restSeconds).toFixed(1)} ms CPU a second, RSS ${after.rssMb.toFixed(0)} MB`,
    );
  });
}

function manifest(index: number): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: pod-${String(index)}
  namespace: default
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: main
      image: docker.io/library/busybox:1.36
      command: [sleep, infinity]
`;
}
