import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import type { MeasuredAgentOptions } from './agent-commands.ts';
import type { BenchRun } from './bench-part.ts';
import { describeProfile } from './cpu-profile.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { recordCode } from './record-code.ts';
import { breakdown, difference } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Measures an idle agent: calls of the runtime, CPU and memory, without pods and with 110, the usual maximum of a node. */
export async function benchRest(run: BenchRun): Promise<void> {
  await recordCode();
  for (const hints of ['none', 'cri'] as const) {
    for (const podCount of [0, 110]) await measureRest(run, podCount, hints);
  }
}

async function measureRest(
  { print, long, profile }: BenchRun,
  podCount: number,
  hints: MeasuredAgentOptions['hints'],
): Promise<void> {
  const seconds = long ? 120 : 8;
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), podCount);
    await using agent = await startMeasuredAgent({ endpoint, folder, hints });
    await agent.run('start', podCount);
    await sleep(systemClock, 4_000);
    if (profile) await agent.run('startProfile');
    const [before, callsBefore] = [await agent.run('usage'), await agent.run('calls')];
    await sleep(systemClock, seconds * 1000);
    const [after, callsAfter] = [await agent.run('usage'), await agent.run('calls')];
    const perSecond = (counts: Record<string, number>): Record<string, number> =>
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / seconds]));
    const rates = perSecond(difference(callsBefore, callsAfter));
    const total = Object.values(rates).reduce((sum, rate) => sum + rate, 0);
    print(
      `at rest with ${String(podCount)} pods, ${hints === 'none' ? 'relist only' : 'with events'}: ` +
        `${total.toFixed(2)} CRI calls a second (${breakdown(rates, 2)}), ${((after.cpuMs - before.cpuMs) / seconds).toFixed(1)} ms CPU a second ` +
        `(${breakdown(perSecond(difference(before.threadsMs, after.threadsMs)), 1)}), RSS ${after.rssMb.toFixed(0)} MB`,
    );
    if (profile) describeProfile(await agent.run('stopProfile')).forEach(print);
  });
}
