import { create } from '@bufbuild/protobuf';
import {
  type WindowsContainerResources,
  WindowsContainerResourcesSchema,
  type WindowsCpuGroupAffinity,
} from '@rxlet/cri-api';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { parseQuantity, quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';

/** Share of a whole machine, in hundredths of a percent. */
const WHOLE_MACHINE = 10_000n;
/** CPUs of a processor group. */
const GROUP_CPUS = 64;

/**
 * Returns the resources of a container on Windows. Only limits count; those of the pod do not.
 *
 * @param processors active processors of the machine, over all processor groups
 */
export function windowsResources(
  { resources }: Pick<Container | EphemeralContainer, 'resources'>,
  processors: number,
): WindowsContainerResources {
  const { cpu, memory } = resources?.limits ?? {};
  const cpuMillis = cpu === undefined ? 0n : quantityMilliValue(parseQuantity(String(cpu)));
  const memoryBytes = memory === undefined ? 0n : quantityValue(parseQuantity(String(memory)));
  return create(WindowsContainerResourcesSchema, {
    ...(cpuMillis !== 0n && { cpuMaximum: cpuMaximum(cpuMillis, processors) }),
    ...(memoryBytes !== 0n && { memoryLimitInBytes: memoryBytes }),
  });
}

/** Returns a limit of CPU as a share of the machine: hundredths of a percent, at least one, at most the whole machine. */
function cpuMaximum(cpuMillis: bigint, processors: number): bigint {
  const share = (10n * cpuMillis) / BigInt(processors);
  if (share < 1n) return 1n;
  return share > WHOLE_MACHINE ? WHOLE_MACHINE : share;
}

/** Returns the limit of CPU that a share of the machine stands for, in thousandths of a CPU: the value of the container's status. */
export function cpuMillisOfShare(share: bigint, processors: number): bigint {
  return (share * BigInt(processors)) / 10n;
}

/**
 * Returns the CPUs to which a container is bound. CPUs that the CPU manager assigned win over those of the memory manager's NUMA nodes when they are more, or all among
 * those; otherwise the container gets both.
 */
export function windowsCpus(assigned: readonly number[], ofNumaNodes: readonly number[]): readonly number[] {
  const near = new Set(ofNumaNodes);
  const assignedWin = assigned.length > near.size || assigned.every((cpu) => near.has(cpu));
  const chosen = assigned.length > 0 && assignedWin ? assigned : [...assigned, ...ofNumaNodes];
  return [...new Set(chosen)].sort((left, right) => left - right);
}

/** Returns CPUs as masks of processor groups of 64 CPUs each. */
export function windowsAffinity(
  cpus: readonly number[],
): readonly Pick<WindowsCpuGroupAffinity, 'cpuGroup' | 'cpuMask'>[] {
  const byGroup = Map.groupBy(cpus, (cpu) => Math.floor(cpu / GROUP_CPUS));
  return [...byGroup]
    .sort(([left], [right]) => left - right)
    .map(([cpuGroup, members]) => ({
      cpuGroup,
      cpuMask: members.reduce((mask, cpu) => mask | (1n << BigInt(cpu % GROUP_CPUS)), 0n),
    }));
}
