import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sleep, systemClock } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import type { BenchRun } from './bench-part.ts';
import { startProcess, until } from './child-process.ts';
import { rxletVariants, type RxletVariant } from './launcher.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { median } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/**
 * The command `rxlet` as its users run it, in a process of its own with all its parts beside the agent: the time to load and to start pods, the cost at rest,
 * and the duration of the commands that query it.
 */
export async function benchRxletCommand(run: BenchRun): Promise<void> {
  for (const variant of rxletVariants()) {
    for (const podCount of [0, 110]) await measureCommand(run, variant, podCount);
  }
}

async function measureCommand({ print, long }: BenchRun, variant: RxletVariant, podCount: number): Promise<void> {
  // The memory of a start is given back within half a minute or so.
  const [settleSeconds, restSeconds] = long ? [30, 60] : [4, 6];
  const [program = '', ...before] = variant.command;
  await withFakeRuntime(async (client, endpoint, folder) => {
    const manifests = join(folder, 'manifests');
    await writeManifests(manifests, podCount);
    await client.images.pullImage({ image: { image: IMAGE } });
    const config = join(folder, 'kubelet.yaml');
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      podLogsDir: join(folder, 'logs'),
      // The pods of a fake runtime have no processes.
      cgroupsPerQOS: false,
      enforceNodeAllocatable: ['none'],
    };
    await writeFile(config, JSON.stringify(kubelet));
    const allRun = async (): Promise<boolean> => {
      const { containers } = await client.runtime.listContainers({
        filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
      });
      return containers.length >= podCount;
    };
    const root = join(folder, 'root');
    const socket = join(root, 'rxlet.sock');
    const flags = ['--pod-manifest-path', manifests, '--config', config, '--hostname-override', 'bench'];
    const firstCallMs = await timeToFirstCall([program, ...before], folder);
    const beganMs = systemClock.monotonicNow();
    const args = [...before, '--container-runtime-endpoint', endpoint, '--root-dir', root, ...flags];
    await using agent = startProcess([program, ...args]);
    // The socket opens when everything is loaded and connected, right before the manifests are first read.
    await until('the agent is loaded', async () => existsSync(socket));
    const loadedMs = systemClock.monotonicNow() - beganMs;
    const loaded = await agent.usage();
    await until(`${String(podCount)} pods run`, allRun, 120_000, 20);
    const { cpuMs } = await agent.usage();
    await sleep(systemClock, settleSeconds * 1000);
    const settled = await agent.usage();
    await sleep(systemClock, restSeconds * 1000);
    const usageAtRest = await agent.usage();
    print(
      `rxlet from ${variant.name} with ${String(podCount)} pods: first CRI call after ${seconds(firstCallMs)}, loaded in ${seconds(loadedMs)} with ` +
        `${seconds(loaded.cpuMs)} CPU, ${seconds(cpuMs - loaded.cpuMs)} more CPU until all run; ` +
        `at rest ${((usageAtRest.cpuMs - settled.cpuMs) / restSeconds).toFixed(1)} ms CPU a second`,
    );
    print(
      `  memory in MB: RSS ${usageAtRest.rssMb.toFixed(0)} (at most ${usageAtRest.peakMb.toFixed(0)}), PSS ${usageAtRest.pssMb.toFixed(0)}; ${await heapOf(socket)}`,
    );
    const commandMs = await timeToEnd([program, ...before, 'get', 'pods', '--root-dir', root]);
    print(`  rxlet get pods: ${seconds(commandMs)}`);
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Measures the time from the start of an agent to its first call of a runtime that never answers; the median of three. */
async function timeToFirstCall([program, ...args]: readonly [string, ...string[]], folder: string): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const path = join(folder, `silent-${String(round)}.sock`);
    const server = createServer().on('session', (session) => session.on('error', () => undefined));
    const called = new Promise<number>((resolve) =>
      server.on('stream', (stream) => {
        stream.on('error', () => undefined);
        resolve(systemClock.monotonicNow());
      }),
    );
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const beganMs = systemClock.monotonicNow();
    const flags = ['--container-runtime-endpoint', `unix://${path}`, '--root-dir', join(folder, 'unused')];
    await using _agent = startProcess([program, ...args, ...flags]);
    samples.push((await called) - beganMs);
    server.close();
  }
  return median(samples);
}

/** Measures the duration of a command; the median of five. */
async function timeToEnd(command: readonly [string, ...string[]]): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const beganMs = systemClock.monotonicNow();
    await startProcess(command).ended;
    samples.push(systemClock.monotonicNow() - beganMs);
  }
  return median(samples);
}

/** Reads the heap size from the metrics of the agent. */
async function heapOf(socketPath: string): Promise<string> {
  const metrics = await new Promise<string>((resolve, reject) => {
    request({ socketPath, path: '/metrics', agent: false }, (response) => resolve(text(response)))
      .once('error', reject)
      .end();
  });
  const megabytes = (name: string): string =>
    (Number(new RegExp(`^nodejs_${name}_bytes (\\S+)`, 'm').exec(metrics)?.[1]) / 2 ** 20).toFixed(0);
  return `heap used ${megabytes('heap_size_used')} of ${megabytes('heap_size_total')}, external ${megabytes('external_memory')}`;
}
