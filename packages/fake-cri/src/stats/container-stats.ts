import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ContainerStats, ContainerStatsSchema } from '@rxlet/cri-api';
import { isRunning } from '../container.ts';
import type { Container } from '../runtime-objects.ts';
import { defaultUsage } from './default-usage.ts';
import { lifeMs } from './life.ts';
import { cpuNanoseconds, usageAt, type UsageModel } from './usage-model.ts';
import { writableLayer } from './writable-layer.ts';

const PAGE_BYTES = 4096n;

/**
 * Returns the statistics of a container at `now` (nanoseconds since the epoch). As in containerd, a container that does not run has attributes and its writable
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

/** Returns the container's CPU time from its start to `now`, or to its exit. */
export function containerCpuNanoseconds(container: Container, now: bigint): bigint {
  return cpuNanoseconds(usageModelOf(container), lifeMs(container, now));
}

/** Returns the container's working set; 0 unless it runs. */
export function containerMemoryBytes(container: Container, now: bigint): bigint {
  return isRunning(container) ? workingSetBytes(container, lifeMs(container, now)) : 0n;
}

function workingSetBytes(container: Container, elapsedMs: number): bigint {
  return atMost(usageAt(usageModelOf(container), elapsedMs).memoryBytes, memoryLimitOf(container));
}

function memoryLimitOf({ status }: Container): bigint {
  return status.resources?.linux?.memoryLimitInBytes ?? 0n;
}

function atMost(bytes: bigint, limit: bigint): bigint {
  return limit > 0n && bytes > limit ? limit : bytes;
}

function cpuAndMemory(
  container: Container,
  now: bigint,
): Pick<MessageInitShape<typeof ContainerStatsSchema>, 'cpu' | 'memory'> {
  const elapsedMs = lifeMs(container, now);
  const usage = usageAt(usageModelOf(container), elapsedMs);
  const limit = memoryLimitOf(container);
  const workingSet = workingSetBytes(container, elapsedMs);
  return {
    cpu: {
      timestamp: now,
      usageCoreNanoSeconds: { value: containerCpuNanoseconds(container, now) },
      usageNanoCores: { value: BigInt(Math.round(usage.cpuMillis * 1e6)) },
    },
    memory: {
      timestamp: now,
      workingSetBytes: { value: workingSet },
      // Inactive files in the cache count as usage, but not as working set.
      usageBytes: { value: atMost(workingSet + workingSet / 8n, limit) },
      rssBytes: { value: (workingSet * 7n) / 8n },
      ...(limit > 0n ? { availableBytes: { value: limit - workingSet } } : {}),
      pageFaults: { value: pageFaults(container, elapsedMs) },
      majorPageFaults: { value: 0n },
    },
  };
}

/** Returns the page faults: one for each page at the first use, and a few more every second. */
function pageFaults(container: Container, elapsedMs: number): bigint {
  let most = 0n;
  for (const { afterMs, memoryBytes } of usageModelOf(container))
    if (afterMs <= elapsedMs && memoryBytes > most) most = memoryBytes;
  return most / PAGE_BYTES + BigInt(Math.floor(elapsedMs / 100));
}

function usageModelOf({ id, usage, config }: Container): UsageModel {
  // Computed from the resources at its creation: an update must not change past CPU time.
  return usage ?? defaultUsage(id, config.linux?.resources);
}
