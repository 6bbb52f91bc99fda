import type { Pod } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { type PodCgroupOptions, podCgroupResources } from '@rxlet/pod-model/cgroups';
import { quantityValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';
import type { CgroupValues } from './cgroup-values.ts';
import type { MemoryQos } from './memory-qos.ts';

/** Options of {@link podValues}. */
export interface PodValuesOptions extends PodCgroupOptions {
  /** Largest number of processes in a pod (KubeletConfiguration `podPidsLimit`); not above 0: no limit. */
  readonly podPidsLimit?: number;
  /** Absent: the feature gate `MemoryQoS` is off. */
  readonly memoryQos?: MemoryQos | undefined;
}

/** Returns the values of a pod's cgroup. @throws QuantityError when the pod has a malformed quantity */
export function podValues(pod: Pod, options: PodValuesOptions = {}): CgroupValues {
  const { podPidsLimit = -1, memoryQos } = options;
  return {
    ...podCgroupResources(pod, options),
    ...(podPidsLimit > 0 && { pidsLimit: podPidsLimit }),
    ...(memoryQos?.reservationPolicy === 'TieredReservation' && protectedMemory(pod)),
  };
}

function protectedMemory(pod: Pod): CgroupValues {
  const { memory } = podRequests(pod);
  const bytes = memory === undefined ? 0 : Number(quantityValue(memory));
  if (bytes === 0) return {};
  return podQosClass(pod) === 'Guaranteed' ? { memoryMinBytes: bytes } : { memoryLowBytes: bytes };
}
