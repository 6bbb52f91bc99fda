import type { Container, EphemeralContainer, Pod, Quantity } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { quantityNumber } from '@rxlet/pod-model/quantity';

/** Protection and throttling of a container's memory by the kernel (feature gate `MemoryQoS`, KEP-2570). */
export interface MemoryQosSettings {
  /** Whether requested memory is protected: strictly for Guaranteed pods, weakly for others (KubeletConfiguration `memoryReservationPolicy`). */
  readonly reservationPolicy: 'None' | 'TieredReservation';
  /** Share of the memory between request and limit from which on the container is throttled (KubeletConfiguration `memoryThrottlingFactor`). */
  readonly throttlingFactor: number;
  /** Memory of the node that is not reserved, the limit of containers without one. Default: the node's allocatable memory. */
  readonly allocatableBytes?: number | undefined;
}

const PAGE_BYTES = 4096;

/**
 * Returns the values of cgroup v2 that protect and throttle the memory of a container. A container without a limit is throttled relative to the node's allocatable
 * memory.
 */
export function memoryQosValues(
  pod: Pod,
  { resources }: Container | EphemeralContainer,
  { reservationPolicy, throttlingFactor, allocatableBytes }: MemoryQosSettings,
  allocatableMemory: Quantity | undefined,
): Record<string, string> {
  const request = quantityNumber(resources?.requests?.['memory']);
  const limit = quantityNumber(resources?.limits?.['memory']);
  return {
    ...protection(pod, request, reservationPolicy),
    ...throttling(request, limit, allocatableBytes ?? quantityNumber(allocatableMemory), throttlingFactor),
  };
}

function protection(pod: Pod, request: number, policy: MemoryQosSettings['reservationPolicy']): Record<string, string> {
  if (policy === 'None' || request === 0) return { 'memory.min': '0', 'memory.low': '0' };
  return podQosClass(pod) === 'Guaranteed' ? { 'memory.min': String(request) } : { 'memory.low': String(request) };
}

function throttling(request: number, limit: number, allocatable: number, factor: number): Record<string, string> {
  if (request === limit) return {};
  const bound = limit === 0 ? allocatable : limit;
  const high = Math.floor((request + (bound - request) * factor) / PAGE_BYTES) * PAGE_BYTES;
  return high > request ? { 'memory.high': String(high) } : {};
}
