import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import type { BenchRun } from './bench-part.ts';
import { IMAGE, writeManifests } from './manifests.ts';
import { startMeasuredAgent } from './measured-agent.ts';
import { recordCode } from './record-code.ts';
import { median, quantile } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const POD_COUNT = 100;
/** Time in which statuses and the journal are written. */
const SETTLE_MS = 3_000;
const REST_ROUNDS = 5;

/** Measures what the journal costs: CPU of a start of 100 pods, and of a rest, with and without the module in turns, so that both see the same machine. */
export async function benchJournal({ print, long }: BenchRun): Promise<void> {
  await recordCode();
  const rounds = long ? 25 : 7;
  const restMs = long ? 30_000 : 10_000;
  const pairs: { readonly off: Cost; readonly on: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Which comes first alternates, because a machine warms up. A rest varies less than a start, so that it is measured less often.
    const roundRestMs = round < REST_ROUNDS ? restMs : 0;
    const first = await measure(round % 2 === 0, roundRestMs);
    const second = await measure(round % 2 !== 0, roundRestMs);
    pairs.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  for (const field of ['startMs', 'settledMs', 'restMsPerSecond', 'rssMb'] as const) {
    const measured = pairs.filter(({ on, off }) => on[field] !== undefined && off[field] !== undefined);
    const off = median(measured.map((pair) => pair.off[field]!));
    const on = median(measured.map((pair) => pair.on[field]!));
    const differences = measured.map((pair) => pair.on[field]! - pair.off[field]!);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(differences, q).toFixed(1));
    print(
      `${NAMES[field]}: ${off.toFixed(1)} without, ${on.toFixed(1)} with the journal; difference of ${String(measured.length)} pairs ` +
        `${middle!} (${((100 * Number(middle)) / off).toFixed(1)} %), quartiles ${low!} and ${high!}`,
    );
  }
}

/** Cost of one agent. */
interface Cost {
  /** CPU time until all pods run. */
  readonly startMs: number;
  /** CPU time until statuses and the journal are written, too. */
  readonly settledMs: number;
  /** CPU time at rest afterwards, in milliseconds a second. `undefined` if it was not measured. */
  readonly restMsPerSecond: number | undefined;
  readonly rssMb: number;
}

const NAMES: Readonly<Record<keyof Cost, string>> = {
  startMs: `CPU ms of a start of ${String(POD_COUNT)} pods`,
  settledMs: `CPU ms of a start of ${String(POD_COUNT)} pods and the ${String(SETTLE_MS / 1000)} s after it`,
  restMsPerSecond: 'CPU ms a second at rest',
  rssMb: 'RSS in MB',
};

async function measure(hasJournal: boolean, restMs: number): Promise<Cost> {
  let cost: Cost | undefined;
  await withFakeRuntime(async (client, endpoint, folder) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await writeManifests(join(folder, 'manifests'), POD_COUNT);
    await using agent = await startMeasuredAgent({ endpoint, folder, hints: 'cri', hasJournal });
    const begin = await agent.run('usage');
    const { cpuMs: startMs } = await agent.run('start', POD_COUNT);
    await sleep(systemClock, SETTLE_MS);
    const before = await agent.run('usage');
    await sleep(systemClock, restMs);
    const after = await agent.run('usage');
    cost = {
      startMs,
      settledMs: before.cpuMs - begin.cpuMs,
      restMsPerSecond: restMs === 0 ? undefined : ((after.cpuMs - before.cpuMs) * 1000) / restMs,
      rssMb: after.rssMb,
    };
  });
  return cost!;
}
