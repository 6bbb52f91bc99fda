import { join } from 'node:path';
import type { StartReport } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { describeProfile } from './cpu-profile.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { recordCode } from './record-code.ts';
import { breakdown, median } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Measures the time from manifests in a folder, with the image present, to Running, its cost, and the agent's time by thread. */
export async function benchStartup({ print, long }: BenchRun): Promise<void> {
  await recordCode();
  for (const [podCount, rounds] of [
    [1, 3],
    [30, 3],
    [100, long ? 7 : 3],
    [500, long ? 5 : 1],
  ] as const) {
    const reports: (StartReport & { runtimeCpuMs: number })[] = [];
    for (let round = 0; round < rounds; round += 1) reports.push(await startOnce(podCount));
    const seconds = (field: 'firstStartedMs' | 'startedMs' | 'runningMs' | 'cpuMs' | 'runtimeCpuMs'): string =>
      (median(reports.map((report) => report[field])) / 1000).toFixed(2);
    print(
      `${String(podCount)} pods: ${seconds('firstStartedMs')} s until the first container is started, ${seconds('startedMs')} s until the last one, ${seconds('runningMs')} s until all are Running; ` +
        `CPU of the agent ${seconds('cpuMs')} s, of the runtime ${seconds('runtimeCpuMs')} s (median of ${String(rounds)})`,
    );
    const { threadsMs, calls } = reports.at(-1)!;
    const perPod = Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, count / podCount]));
    print(`  CPU ms by thread: ${breakdown(threadsMs, 0)}; CRI calls a pod: ${breakdown(perPod, 1)}`);
  }
  await startOnce(long ? 500 : 100, print);
}

async function startOnce(
  podCount: number,
  printProfile?: (line: string) => void,
): Promise<StartReport & { runtimeCpuMs: number }> {
  let report: (StartReport & { runtimeCpuMs: number }) | undefined;
  await withFakeRuntime(async (client, endpoint, folder, server) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), podCount);
    const form = printProfile === undefined ? 'bundle' : 'source';
    await using agent = await startMeasuredAgent({ endpoint, folder, hints: 'cri' }, form);
    const before = await server.usage();
    if (printProfile !== undefined) await agent.run('startProfile');
    const started = await agent.run('start', podCount);
    report = { ...started, runtimeCpuMs: (await server.usage()).cpuMs - before.cpuMs };
    if (printProfile !== undefined) describeProfile(await agent.run('stopProfile')).forEach(printProfile);
  });
  return report!;
}
