/** Protection of requested memory by the kernel (feature gate `MemoryQoS`, cgroup v2 only). */
export interface MemoryQos {
  /**
   * `TieredReservation`: requests are protected, strictly (`memory.min`) for Guaranteed pods and weakly (`memory.low`) for others. `None`: nothing is protected
   * (KubeletConfiguration `memoryReservationPolicy`).
   */
  readonly reservationPolicy: 'None' | 'TieredReservation';
}

/** Reports whether a process that is throttled by `memory.high` may never run again on a kernel, because of a bug before Linux 5.9. */
export function hasThrottlingLivelock(kernelVersion: string): boolean {
  const [major = 0, minor = 0] = kernelVersion.split('.').map((part) => Number.parseInt(part, 10));
  return major < 5 || (major === 5 && minor < 9);
}
