import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ContainerStats, ContainerStatsSchema } from '@rxlet/cri-api';
import { type Container, isRunning } from '../container.ts';
import { defaultUsage } from './default-usage.ts';
import { lifeMs } from './life.ts';
import { cpuNanoseconds, usageAt, type UsageModel } from './usage-model.ts';
import { writableLayer } from './writable-layer.ts';

const PAGE_BYTES = 4096n;

/**
 * The statistics of a container at `now` (nanoseconds since the epoch). As in containerd, one that does not run has its attributes and its writable
 * layer, but neither CPU nor memory.
 */
export function containerStats(container: Container, now: bigint): ContainerStats {
  const { id, status } = container;
  const { metadata, labels, annotations } = status;
  return create(ContainerStatsSchema, {
    attributes: { id, metadata: metadata!, labels, annotations },
    writableLayer: writableLayer(container, now),
    ...(isRunning(container) ? cpuAndMemory(container, now) : {}),
  });
}

/** CPU time of all the container's life until `now`, or until it ended. */
export function containerCpuNanoseconds(container: Container, now: bigint): bigint {
  return cpuNanoseconds(usageModelOf(container), lifeMs(container, now));
}

function cpuAndMemory(
  container: Container,
  now: bigint,
): Pick<MessageInitShape<typeof ContainerStatsSchema>, 'cpu' | 'memory'> {
  const elapsedMs = lifeMs(container, now);
  const usage = usageAt(usageModelOf(container), elapsedMs);
  const limit = container.status.resources?.linux?.memoryLimitInBytes ?? 0n;
  const atMost = (bytes: bigint): bigint => (limit > 0n && bytes > limit ? limit : bytes);
  const workingSet = atMost(usage.memoryBytes);
  return {
    cpu: {
      timestamp: now,
      usageCoreNanoSeconds: { value: containerCpuNanoseconds(container, now) },
      usageNanoCores: { value: BigInt(Math.round(usage.cpuMillis * 1e6)) },
    },
    memory: {
      timestamp: now,
      workingSetBytes: { value: workingSet },
      // Files in the cache that nobody has used of late count as used, and not as working set.
      usageBytes: { value: atMost(workingSet + workingSet / 8n) },
      rssBytes: { value: (workingSet * 7n) / 8n },
      ...(limit > 0n ? { availableBytes: { value: limit - workingSet } } : {}),
      pageFaults: { value: pageFaults(container, elapsedMs) },
      majorPageFaults: { value: 0n },
    },
  };
}

/** One for each page at the first use, and a few more every second. */
function pageFaults(container: Container, elapsedMs: number): bigint {
  let most = 0n;
  for (const { afterMs, memoryBytes } of usageModelOf(container))
    if (afterMs <= elapsedMs && memoryBytes > most) most = memoryBytes;
  return most / PAGE_BYTES + BigInt(Math.floor(elapsedMs / 100));
}

function usageModelOf({ id, usage, config }: Container): UsageModel {
  // Of the resources at its creation: CPU time that was used already does not change with an update.
  return usage ?? defaultUsage(id, config.linux?.resources);
}
