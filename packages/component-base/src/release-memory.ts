import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from './clock.ts';

/** Memory and CPU of a process. */
export interface ProcessUsage {
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  /** CPU time since the start of the process. */
  readonly cpuMs: number;
}

/** Ports of {@link releaseMemoryAtRest}. */
export interface ReleaseMemoryPorts {
  readonly clock: Clock;
  readonly usage?: (() => ProcessUsage) | undefined;
  /** Collects all garbage and returns free pages to the system. Blocks the process. */
  readonly collect?: (() => void) | undefined;
}

/** Options of {@link releaseMemoryAtRest}. */
export interface ReleaseMemoryOptions {
  /** Share of a CPU that the process uses at most when it is at rest. Default: 0.2. */
  readonly quietCpu?: number | undefined;
  /** Heap beyond which nothing is released, because a collection blocks the process for about a second a gigabyte. Default: 256 Mi. */
  readonly maxHeapBytes?: number | undefined;
}

/** Pause between two looks at the process. */
const PERIOD_MS = 30_000;
/** Number of looks in a row at which the process must have been at rest. */
const QUIET_PERIODS = 2;
/** Share of a CPU that a process at rest uses at most. */
const QUIET_CPU = 0.2;
/** Growth since the last release that is worth another one. */
const MIN_GROWTH_BYTES = 16 * 1024 ** 2;
const MIN_GROWTH = 0.15;
/** Heap of which a collection would block the process for too long. */
const MAX_HEAP_BYTES = 256 * 1024 ** 2;

/**
 * Returns memory to the system when the process is at rest after work. V8 keeps the pages of its heap that a burst of work needed: its own collections at rest neither
 * compact the heap nor release its pool of free pages. A release blocks the process for tenths of a second, and takes place only while it uses little CPU and has grown since the last.
 */
export function releaseMemoryAtRest(
  { clock, usage = readUsage, collect = collectEverything }: ReleaseMemoryPorts,
  { quietCpu = QUIET_CPU, maxHeapBytes = MAX_HEAP_BYTES }: ReleaseMemoryOptions = {},
): Disposable {
  let last = usage();
  let quietPeriods = 0;
  let releasedBytes = 0;
  const look = (): void => {
    timer = clock.setTimer(PERIOD_MS, look);
    const current = usage();
    const isQuiet = current.cpuMs - last.cpuMs <= quietCpu * PERIOD_MS;
    last = current;
    quietPeriods = isQuiet ? quietPeriods + 1 : 0;
    const growthBytes = current.rssBytes - releasedBytes;
    const isWorthIt = growthBytes >= Math.max(MIN_GROWTH_BYTES, releasedBytes * MIN_GROWTH);
    if (quietPeriods < QUIET_PERIODS || !isWorthIt || current.heapUsedBytes > maxHeapBytes) return;
    collect();
    last = usage();
    releasedBytes = last.rssBytes;
    quietPeriods = 0;
  };
  let timer = clock.setTimer(PERIOD_MS, look);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

function readUsage(): ProcessUsage {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { rssBytes: rss, heapUsedBytes: heapUsed, cpuMs: (user + system) / 1000 };
}

type CollectGarbage = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Collects as V8 does before it gives up for lack of memory, which also compacts the heap and releases its free pages. */
function collectEverything(): void {
  setFlagsFromString('--expose-gc');
  try {
    (runInNewContext('gc') as CollectGarbage)({ type: 'major', flavor: 'last-resort' });
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
