import type { PodAmounts } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import { podQosClass, type QosClass } from '@rxlet/pod-model';
import { milliCpuToShares } from '@rxlet/pod-model/cgroups';
import { quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';
import type { CgroupValues } from './cgroup-values.ts';
import type { MemoryQos } from './memory-qos.ts';

/** Values of the cgroup of each QoS class. That of Guaranteed pods is the cgroup of all pods. */
export type QosValues = Readonly<Record<QosClass, CgroupValues>>;

/** Options of {@link qosValues}. */
export interface QosOptions {
  /** Absent: the feature gate `MemoryQoS` is off. */
  readonly memoryQos?: MemoryQos | undefined;
  /** Share of requested memory that pods of lower classes must not use (KubeletConfiguration `qosReserved`), in percent. Absent: none. */
  readonly memoryReservePercent?: number | undefined;
}

/** CPU shares of BestEffort pods, the kernel's minimum. */
const BEST_EFFORT_SHARES = 2;

/**
 * Returns the values of the cgroups of the QoS classes for the pods of the node. Burstable pods share the CPU by the sum of their requests. Huge pages are limited
 * per pod only.
 *
 * @param sum returns the sum of an amount of the pods
 * @param allocatableMemoryBytes memory for pods; 0 when it is unknown
 * @throws QuantityError when a pod has a malformed quantity
 */
export function qosValues(
  sum: (amountsOf: PodAmounts, name: string) => bigint,
  allocatableMemoryBytes: number,
  { memoryQos, memoryReservePercent }: QosOptions = {},
): QosValues {
  const hugePageLimits = 'unlimited';
  const requests = sumRequests(sum);
  const limits =
    memoryReservePercent === undefined || allocatableMemoryBytes === 0
      ? undefined
      : memoryLimits(requests, allocatableMemoryBytes, memoryReservePercent);
  const protectedBytes = (bytes: number): number => (memoryQos?.reservationPolicy === 'TieredReservation' ? bytes : 0);
  const { Guaranteed, Burstable } = requests.memoryBytes;
  return {
    Guaranteed: {
      hugePageLimits,
      ...(memoryQos && { memoryMinBytes: protectedBytes(Guaranteed + Burstable) }),
    },
    Burstable: {
      hugePageLimits,
      cpuShares: milliCpuToShares(requests.burstableCpuMillis),
      ...(memoryQos && { memoryLowBytes: protectedBytes(Burstable) }),
      ...(limits && { memoryLimitBytes: limits.Burstable }),
    },
    BestEffort: {
      hugePageLimits,
      cpuShares: BEST_EFFORT_SHARES,
      ...(limits && { memoryLimitBytes: limits.BestEffort }),
    },
  };
}

/**
 * Returns values with memory limits that the kernel accepts after a failed write: cgroup v1 rejects a limit below the memory in use. The cgroup then cannot grow
 * until its usage shrinks.
 */
export function withAttainableMemory(values: CgroupValues, usageBytes: number): CgroupValues {
  const { memoryLimitBytes } = values;
  return memoryLimitBytes !== undefined && memoryLimitBytes < usageBytes
    ? { ...values, memoryLimitBytes: usageBytes }
    : values;
}

interface Requests {
  readonly burstableCpuMillis: number;
  readonly memoryBytes: Readonly<Record<QosClass, number>>;
}

function sumRequests(sum: (amountsOf: PodAmounts, name: string) => bigint): Requests {
  const amount = (name: string): number => Number(sum(requestsByClass, name));
  return {
    burstableCpuMillis: amount('cpu Burstable'),
    memoryBytes: { Guaranteed: amount('memory Guaranteed'), Burstable: amount('memory Burstable'), BestEffort: 0 },
  };
}

/** Returns the requests of a pod, under names with its class. */
function requestsByClass(pod: Pod): Readonly<Record<string, bigint>> {
  const qosClass = podQosClass(pod);
  if (qosClass === 'BestEffort') return {};
  const { cpu, memory } = podRequests(pod);
  return {
    ...(memory !== undefined && { [`memory ${qosClass}`]: quantityValue(memory) }),
    ...(cpu !== undefined && { [`cpu ${qosClass}`]: quantityMilliValue(cpu) }),
  };
}

function memoryLimits(
  { memoryBytes }: Requests,
  allocatable: number,
  percent: number,
): Readonly<Record<'Burstable' | 'BestEffort', number>> {
  const reserved = (bytes: number): number => Math.trunc((bytes * percent) / 100);
  const burstable = allocatable - reserved(memoryBytes.Guaranteed);
  return { Burstable: burstable, BestEffort: burstable - reserved(memoryBytes.Burstable) };
}
