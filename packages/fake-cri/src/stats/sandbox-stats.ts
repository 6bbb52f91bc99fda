import { create } from '@bufbuild/protobuf';
import {
  type ContainerStats,
  type NetworkUsage,
  NetworkUsageSchema,
  type PodSandboxStats,
  PodSandboxStatsSchema,
} from '@rxlet/cri-api';
import { isRunning } from '../container.ts';
import { usesHostNetwork } from '../sandbox.ts';
import type { Sandbox } from '../runtime-objects.ts';
import { containerCpuNanoseconds, containerStats } from './container-stats.ts';

/** Usage of the process that holds a sandbox's namespaces. */
const PAUSE_MEMORY_BYTES = 512n * 1024n;

/**
 * Returns the statistics of a ready sandbox at `now`: the sums of its containers'. The CPU time includes that of exited and removed ones, the memory that of
 * the process that holds the namespaces. A sandbox on the host's network has no network statistics.
 */
export function sandboxStats(sandbox: Sandbox, now: bigint): PodSandboxStats {
  const { id, metadata, labels, annotations } = sandbox.status;
  const containers = [...sandbox.containers.values()];
  const stats = containers.filter(isRunning).map((container) => containerStats(container, now));
  const sum = (value: (stats: ContainerStats) => bigint | undefined): bigint =>
    stats.reduce((total, each) => total + (value(each) ?? 0n), 0n);
  const cpuTime = containers.reduce(
    (total, container) => total + containerCpuNanoseconds(container, now),
    sandbox.removedCpuNanoseconds,
  );
  return create(PodSandboxStatsSchema, {
    attributes: { id, metadata: metadata!, labels, annotations },
    linux: {
      cpu: {
        timestamp: now,
        usageCoreNanoSeconds: { value: cpuTime },
        usageNanoCores: { value: sum(({ cpu }) => cpu?.usageNanoCores?.value) },
      },
      memory: {
        timestamp: now,
        workingSetBytes: { value: PAUSE_MEMORY_BYTES + sum(({ memory }) => memory?.workingSetBytes?.value) },
        usageBytes: { value: PAUSE_MEMORY_BYTES + sum(({ memory }) => memory?.usageBytes?.value) },
        rssBytes: { value: sum(({ memory }) => memory?.rssBytes?.value) },
        pageFaults: { value: sum(({ memory }) => memory?.pageFaults?.value) },
        majorPageFaults: { value: 0n },
      },
      ...(usesHostNetwork(sandbox.config) ? {} : { network: network(sandbox, now) }),
      process: {
        timestamp: now,
        processCount: { value: BigInt(1 + containers.reduce((sum, { execs }) => sum + execs.size, stats.length)) },
      },
      containers: stats,
    },
  });
}

/** Returns the network traffic: hundreds of bytes a second in both directions, depending on the id. */
function network(sandbox: Sandbox, now: bigint): NetworkUsage {
  const { id } = sandbox;
  const elapsed = now > sandbox.status.createdAt ? now - sandbox.status.createdAt : 0n;
  const bytes = (digits: string): bigint => ((200n + (BigInt(`0x${digits}`) % 800n)) * elapsed) / 1_000_000_000n;
  const eth0 = {
    name: 'eth0',
    rxBytes: { value: bytes(id.slice(0, 4)) },
    rxErrors: { value: 0n },
    txBytes: { value: bytes(id.slice(4, 8)) },
    txErrors: { value: 0n },
  };
  return create(NetworkUsageSchema, { timestamp: now, defaultInterface: eth0, interfaces: [eth0] });
}
