import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import type { BenchRun } from './bench-part.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { recordCode } from './record-code.ts';
import { median } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const POD_COUNT = 100;

/** Measures what the journal costs: CPU of a start of 100 pods, and of a rest, with and without the module in turns, so that both see the same machine. */
export async function benchJournal({ print, long }: BenchRun): Promise<void> {
  await recordCode();
  const rounds = long ? 15 : 7;
  const restMs = long ? 60_000 : 10_000;
  const pairs: { readonly off: Cost; readonly on: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Which comes first alternates, because a machine warms up.
    const first = await measure(round % 2 === 0, restMs);
    const second = await measure(round % 2 !== 0, restMs);
    pairs.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  for (const field of ['startMs', 'restMsPerSecond', 'rssMb'] as const) {
    const off = median(pairs.map((pair) => pair.off[field]));
    const on = median(pairs.map((pair) => pair.on[field]));
    const difference = median(pairs.map((pair) => pair.on[field] - pair.off[field]));
    print(
      `${NAMES[field]}: ${off.toFixed(1)} without, ${on.toFixed(1)} with the journal; difference of pairs ${difference.toFixed(1)} ` +
        `(${((100 * difference) / off).toFixed(1)} %, median of ${String(rounds)})`,
    );
  }
}

/** Cost of one agent. */
interface Cost {
  /** CPU time until all pods run. */
  readonly startMs: number;
  /** CPU time at rest afterwards, in milliseconds a second. */
  readonly restMsPerSecond: number;
  readonly rssMb: number;
}

const NAMES: Readonly<Record<keyof Cost, string>> = {
  startMs: `CPU ms of a start of ${String(POD_COUNT)} pods`,
  restMsPerSecond: 'CPU ms a second at rest',
  rssMb: 'RSS in MB',
};

async function measure(hasJournal: boolean, restMs: number): Promise<Cost> {
  let cost: Cost | undefined;
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), POD_COUNT);
    await using agent = await startMeasuredAgent({ endpoint, folder, hints: 'cri', hasJournal });
    const { cpuMs: startMs } = await agent.run('start', POD_COUNT);
    // Statuses and the journal are written within seconds.
    await sleep(systemClock, 3_000);
    const before = await agent.run('usage');
    await sleep(systemClock, restMs);
    const after = await agent.run('usage');
    cost = { startMs, restMsPerSecond: ((after.cpuMs - before.cpuMs) * 1000) / restMs, rssMb: after.rssMb };
  });
  return cost!;
}
