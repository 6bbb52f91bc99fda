import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestCgroups } from '@rxlet/container-manager/testing';
import { run as runProgram } from '@rxlet/test-containerd/processes';
import type { StartReport } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { describeProfile } from './cpu-profile.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { breakdown, median } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const PODS = 100;
const variants = {
  plain: { hasVolumes: false, hasCgroups: false },
  volumes: { hasVolumes: true, hasCgroups: false },
  cgroups: { hasVolumes: false, hasCgroups: true },
  'volumes and cgroups': { hasVolumes: true, hasCgroups: true },
};
type Variant = keyof typeof variants;

/**
 * Measures 100 pods with a ConfigMap, a Secret and an emptyDir, and with cgroups, beside the same without them. The variants alternate, so that the load of the
 * machine concerns all. Needs root, for mounts and cgroups.
 */
export async function benchVolumeStartup({ print, long, profile }: BenchRun): Promise<void> {
  if (process.getuid?.() !== 0) {
    print('volumes: mounts and cgroups need root');
    return;
  }
  const names = Object.keys(variants) as readonly Variant[];
  const reports = Object.fromEntries(names.map((name) => [name, [] as StartReport[]])) as Record<
    Variant,
    StartReport[]
  >;
  for (let round = 0; round < (long ? 7 : 3); round += 1)
    for (const name of names) reports[name].push(await startOnce(name));
  const cpuOf = ({ cpuMs, programsMs }: StartReport): number => cpuMs + programsMs;
  const plainMs = median(reports.plain.map(cpuOf));
  for (const name of names) {
    const seconds = (of: (report: StartReport) => number): string => (median(reports[name].map(of)) / 1000).toFixed(2);
    print(
      `${String(PODS)} pods, ${name}: ${seconds(({ startedMs }) => startedMs)} s until the last container is started; CPU of the agent ` +
        `${seconds(({ cpuMs }) => cpuMs)} s and of its programs ${seconds(({ programsMs }) => programsMs)} s, ` +
        `${(median(reports[name].map(cpuOf)) / plainMs).toFixed(2)} times that of plain pods (median of ${String(reports[name].length)})`,
    );
    print(`  CPU ms by thread: ${breakdown(reports[name].at(-1)!.threadsMs, 0)}`);
  }
  if (profile) await startOnce('volumes and cgroups', print);
}

async function startOnce(variant: Variant, printProfile?: (line: string) => void): Promise<StartReport> {
  const { hasVolumes, hasCgroups } = variants[variant];
  using cgroups = hasCgroups ? createTestCgroups() : undefined;
  let report: StartReport | undefined;
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), PODS, () => ({ hasVolumes }));
    try {
      const cgroupRoot = cgroups?.kubelet.cgroupRoot;
      await using agent = await startMeasuredAgent({
        endpoint,
        folder,
        hints: 'cri',
        ...(cgroupRoot && { cgroupRoot }),
      });
      if (printProfile !== undefined) await agent.run('startProfile');
      report = await agent.run('start', PODS);
      if (printProfile !== undefined) describeProfile(await agent.run('stopProfile'), 40).forEach(printProfile);
    } finally {
      for (const target of mountsBelow(folder)) await runProgram('umount', [target]);
    }
  });
  return report!;
}

function mountsBelow(folder: string): readonly string[] {
  const targets = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? []);
  return targets.filter((target) => target.startsWith(`${folder}/`)).toReversed();
}
