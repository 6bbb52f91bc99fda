/** Protection of requested memory by the kernel (feature gate `MemoryQoS`, cgroup v2 only). */
export interface MemoryQos {
  /**
   * `TieredReservation`: requests are protected, strictly (`memory.min`) for Guaranteed pods and weakly (`memory.low`) for others. `None`: nothing is protected
   * (KubeletConfiguration `memoryReservationPolicy`).
   */
  readonly reservationPolicy: 'None' | 'TieredReservation';
}
