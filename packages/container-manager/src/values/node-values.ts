import { milliCpuToShares } from '@rxlet/pod-model/cgroups';
import { quantityMilliValue, quantityNumber, quantityValue } from '@rxlet/pod-model/quantity';
import type { ResourceAmounts } from '@rxlet/pod-model/resources';
import type { CgroupValues } from './cgroup-values.ts';
import type { MemoryQos } from './memory-qos.ts';

const HUGE_PAGES = 'hugepages-';

/**
 * Returns the values of a cgroup that may use the given resources of the node: that of all pods, or that of reserved resources.
 *
 * @param cpus CPUs of the node, which the cgroup gets explicitly; absent: CPUs are assigned by a CPU manager policy
 */
export function nodeCgroupValues(resources: ResourceAmounts, cpus?: string): CgroupValues {
  const { memory, pid } = resources;
  return {
    ...compressibleValues(resources, cpus),
    ...(memory && { memoryLimitBytes: Number(quantityValue(memory)) }),
    ...(pid && { pidsLimit: Number(quantityValue(pid)) }),
  };
}

/** Returns the values of {@link nodeCgroupValues} that slow processes down but never kill them. */
export function compressibleValues(resources: ResourceAmounts, cpus?: string): CgroupValues {
  const { cpu } = resources;
  return {
    ...(cpu && { cpuShares: milliCpuToShares(Number(quantityMilliValue(cpu))) }),
    ...(cpus !== undefined && cpus !== '' && { cpus }),
    hugePageLimits: hugePageLimits(resources),
  };
}

/** Returns the values of a cgroup for reserved resources, whose memory is protected if memory QoS is on. */
export function reservedValues(
  reservation: ResourceAmounts,
  cpus: string | undefined,
  memoryQos: MemoryQos | undefined,
): CgroupValues {
  const values = nodeCgroupValues(reservation, cpus);
  const { memoryLimitBytes } = values;
  return memoryQos && memoryLimitBytes !== undefined ? { ...values, memoryMinBytes: memoryLimitBytes } : values;
}

function hugePageLimits(resources: ResourceAmounts): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(resources)
      .filter(([name]) => name.startsWith(HUGE_PAGES))
      .map(([name, amount]) => [String(quantityNumber(name.slice(HUGE_PAGES.length))), Number(quantityValue(amount))]),
  );
}
