/**
 * A process that reads the manifests of a folder as an agent does and reports the cost as one line of JSON. The part `manifests` of the
 * benchmark starts it, so that each folder is read by a process that has run nothing before.
 */
import { sleep, systemClock } from '@rxlet/component-base';
import { createHostFiles } from '@rxlet/node-files';
import { createPodConfig } from '@rxlet/pod-config';
import { createFileSource } from '@rxlet/pod-source';

/** Cost of reading a folder. */
export interface ReadingReport {
  readonly pods: number;
  readonly problems: number;
  /** From the start until the first pod, and until all manifests were read. */
  readonly firstMs: number;
  readonly readyMs: number;
  /** Longest time between two turns of the event loop, in CPU time of the main thread. */
  readonly blockedMs: number;
  readonly cpuMs: number;
  readonly rssBeforeMb: number;
  /** Ten seconds after the reading, when the garbage was collected. */
  readonly rssAfterMb: number;
}

const [path = ''] = process.argv.slice(2);
const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;
const collect = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await sleep(systemClock, 50);
  }
};

await collect();
const rssBeforeMb = rssMb();
/** CPU time rather than time: on a busy machine the process waits for the CPU as well. */
let longestTurnMs = 0;
let isMeasuring = true;
const measureTurns = async (): Promise<void> => {
  for (let before = process.threadCpuUsage(); isMeasuring;) {
    await sleep(systemClock, 1);
    const { user, system } = process.threadCpuUsage(before);
    longestTurnMs = Math.max(longestTurnMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  }
};
const measuring = measureTurns();
await sleep(systemClock, 20);
longestTurnMs = 0;
const startedMs = systemClock.monotonicNow();
const cpuBefore = process.cpuUsage();
let [firstMs, pods] = [0, 0];
await using config = createPodConfig({
  clock: systemClock,
  sources: [createFileSource({ clock: systemClock, hostFiles: createHostFiles() }, { path, nodeName: 'node1' })],
});
config.updates$.subscribe((update) => {
  if (update.pods.length > 0) firstMs ||= systemClock.monotonicNow() - startedMs;
  pods += update.pods.length;
});
const ready = new Promise<void>((resolve) => {
  config.readySources$.subscribe((sources) => sources.size > 0 && resolve());
});
config.start();
await ready;
const readyMs = systemClock.monotonicNow() - startedMs;
const { user, system } = process.cpuUsage(cpuBefore);
await sleep(systemClock, 20);
isMeasuring = false;
await measuring;
// A thread that decoded large manifests ends after a second, and V8 keeps its pages for eight more.
await sleep(systemClock, 10_000);
await collect();
const report: ReadingReport = {
  pods,
  problems: config.problems.value.length,
  firstMs,
  readyMs,
  blockedMs: longestTurnMs,
  cpuMs: (user + system) / 1000,
  rssBeforeMb,
  rssAfterMb: rssMb(),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
