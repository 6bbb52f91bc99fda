import type { Metrics } from '@rxlet/component-base/metrics';
import { NOT_ALIGNED, type TopologyAdmission } from './admit-pod.ts';
import type { TopologyPolicy } from './topology-policy.ts';

/** Metrics of the alignment of pods, by the kubelet's names. */
export interface TopologyMetrics {
  /** Counts a decision on a pod. */
  decided(policy: TopologyPolicy, admission: TopologyAdmission, durationMs: number): void;
}

const SHORTEST_MS = 0.05;
const BUCKETS = 15;

/** Registers the {@link TopologyMetrics}. */
export function createTopologyMetrics(metrics: Metrics): TopologyMetrics {
  const requests = metrics.counter({
    name: 'kubelet_topology_manager_admission_requests_total',
    help: '[ALPHA] The number of admission requests where resources have to be aligned.',
  });
  const errors = metrics.counter({
    name: 'kubelet_topology_manager_admission_errors_total',
    help: '[ALPHA] The number of admission request failures where resources could not be aligned.',
  });
  const durations = metrics.histogram({
    name: 'kubelet_topology_manager_admission_duration_ms',
    help: '[ALPHA] Duration in milliseconds to serve a pod admission request.',
    buckets: Array.from({ length: BUCKETS }, (_, exponent) => SHORTEST_MS * 2 ** exponent),
  });
  const labelNames = ['scope', 'boundary'];
  const aligned = metrics.counter({
    name: 'kubelet_container_aligned_compute_resources_count',
    help: '[ALPHA] Cumulative number of aligned compute resources allocated to containers by alignment type.',
    labelNames,
  });
  const misaligned = metrics.counter({
    name: 'kubelet_container_aligned_compute_resources_failure_count',
    help: '[ALPHA] Cumulative number of failures to allocate aligned compute resources to containers by alignment type.',
    labelNames,
  });
  return {
    decided(policy, { rejection, affinities }, durationMs) {
      requests.inc();
      durations.observe(durationMs);
      if (policy.name === 'none') return;
      if (rejection !== undefined) errors.inc();
      // The other policies do not guarantee that all resources are on one node.
      if (policy.name !== 'single-numa-node') return;
      const labels = { scope: policy.scope, boundary: 'numa_node' };
      if (rejection?.reason === NOT_ALIGNED) misaligned.inc(labels);
      const isFailed = rejection !== undefined && rejection.reason !== NOT_ALIGNED;
      const containers = affinities.size - (isFailed ? 1 : 0);
      if (policy.scope === 'container' && containers > 0) aligned.inc(labels, containers);
      if (policy.scope === 'pod' && rejection === undefined) aligned.inc(labels);
    },
  };
}
