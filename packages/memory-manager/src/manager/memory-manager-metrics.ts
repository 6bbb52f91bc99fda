import type { Metrics } from '@rxlet/component-base/metrics';

/** Metrics of the memory of containers, by the kubelet's names. */
export interface MemoryManagerMetrics {
  /** Counts a container of a Guaranteed pod, and whether it got its memory. */
  requested(isGranted: boolean): void;
}

/** Registers the {@link MemoryManagerMetrics}. */
export function createMemoryManagerMetrics(metrics: Metrics): MemoryManagerMetrics {
  const requests = metrics.counter({
    name: 'kubelet_memory_manager_pinning_requests_total',
    help: '[ALPHA] The number of memory pages allocations which required pinning.',
  });
  const errors = metrics.counter({
    name: 'kubelet_memory_manager_pinning_errors_total',
    help: '[ALPHA] The number of memory pages allocations which required pinning that failed.',
  });
  return {
    requested(isGranted) {
      requests.inc();
      if (!isGranted) errors.inc();
    },
  };
}
