import type { Clock } from '@rxlet/component-base';
import type { Histogram, Metrics } from '@rxlet/component-base/metrics';

/** Metrics of cgroups, with the kubelet's names. */
export interface CgroupMetrics {
  /** Runs a change of a cgroup and observes how long it takes. */
  measure<T>(operation: 'create' | 'update' | 'destroy', work: () => Promise<T>): Promise<T>;
  /** Records the version of the cgroup file system. */
  setVersion(version: 1 | 2): void;
}

/** Metrics of memory that is protected for pods, with the kubelet's names. */
export interface MemoryQosMetrics {
  /** Records the memory that is protected strictly for Guaranteed pods, and weakly for Burstable ones. */
  protect(guaranteedBytes: number, burstableBytes: number): void;
}

/** The default buckets of Prometheus' client for Go. */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics. */
export function createCgroupMetrics(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): CgroupMetrics {
  const seconds: Histogram = metrics.histogram({
    name: 'kubelet_cgroup_manager_duration_seconds',
    help: '[ALPHA] Duration in seconds for cgroup manager operations. Broken down by method.',
    labelNames: ['operation_type'],
    buckets: DEFAULT_BUCKETS,
  });
  const version = metrics.gauge({
    name: 'kubelet_cgroup_version',
    help: '[ALPHA] cgroup version on the hosts.',
  });
  return {
    async measure(operation, work) {
      const startMs = clock.monotonicNow();
      try {
        return await work();
      } finally {
        seconds.observe((clock.monotonicNow() - startMs) / 1000, { operation_type: operation });
      }
    },
    setVersion: (value) => version.set(value),
  };
}

/** Registers the metrics of memory QoS, which a kubelet has with that feature gate alone. */
export function createMemoryQosMetrics(metrics: Metrics): MemoryQosMetrics {
  const guaranteed = metrics.gauge({
    name: 'kubelet_memory_qos_node_memory_min_bytes',
    help: '[ALPHA] Total cgroup v2 memory.min in bytes for Guaranteed pods. This memory is hard-reserved and never reclaimed by the kernel.',
  });
  const burstable = metrics.gauge({
    name: 'kubelet_memory_qos_node_memory_low_bytes',
    help: '[ALPHA] Total cgroup v2 memory.low in bytes for Burstable pods. This memory is soft-reserved and may be reclaimed under extreme pressure.',
  });
  return {
    protect(guaranteedBytes, burstableBytes) {
      guaranteed.set(guaranteedBytes);
      burstable.set(burstableBytes);
    },
  };
}

/** Registers the metric of a runtime that lacks a call of later releases, which a kubelet has with such a runtime alone, and sets it. */
export function reportLosingSupport(metrics: Metrics, release: string): void {
  metrics
    .gauge({
      name: 'kubelet_cri_losing_support',
      help: '[ALPHA] the Kubernetes version that the currently running CRI implementation will lose support on if not upgraded.',
      labelNames: ['version'],
    })
    .set(1, { version: release });
}
