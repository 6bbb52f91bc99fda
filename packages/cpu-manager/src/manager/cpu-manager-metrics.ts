import type { Metrics } from '@rxlet/component-base/metrics';
import type { CpuSet } from '@rxlet/machine/topology';
import { groupCpus, idsOf } from '../cpu-layout.ts';
import type { CpuState } from '../cpu-state.ts';
import type { StaticCpuPolicy } from '../static-policy.ts';

/** Metrics of exclusive CPUs, by the kubelet's names. */
export interface CpuManagerMetrics {
  /** Counts a request for exclusive CPUs; `cpus` are those that were newly allocated. */
  requested(policy: StaticCpuPolicy, outcome: { readonly isGranted: boolean; readonly cpus?: CpuSet }): void;
  /** Shows a state. */
  show(policy: StaticCpuPolicy, state: CpuState): void;
}

/** Registers the {@link CpuManagerMetrics}. */
export function createCpuManagerMetrics(metrics: Metrics): CpuManagerMetrics {
  const requests = metrics.counter({
    name: 'kubelet_cpu_manager_pinning_requests_total',
    help: '[ALPHA] The number of cpu core allocations which required pinning.',
  });
  const errors = metrics.counter({
    name: 'kubelet_cpu_manager_pinning_errors_total',
    help: '[ALPHA] The number of cpu core allocations which required pinning failed.',
  });
  const sharedPool = metrics.gauge({
    name: 'kubelet_cpu_manager_shared_pool_size_millicores',
    help: '[ALPHA] The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.',
  });
  const exclusive = metrics.gauge({
    name: 'kubelet_cpu_manager_exclusive_cpu_allocation_count',
    help: '[ALPHA] The total number of CPUs exclusively allocated to containers running on this node',
  });
  const perNode = metrics.gauge({
    name: 'kubelet_cpu_manager_allocation_per_numa',
    help: '[ALPHA] Number of CPUs allocated per NUMA node',
    labelNames: ['numa_node'],
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
  const physicalCpu = { scope: 'container', boundary: 'physical_cpu' };
  const uncoreCache = { scope: 'container', boundary: 'uncore_cache' };
  sharedPool.set(0);
  exclusive.set(0);
  return {
    requested({ options, layout }, { isGranted, cpus }) {
      requests.inc();
      if (!isGranted) errors.inc();
      if (options.fullPhysicalCpusOnly) (isGranted ? aligned : misaligned).inc(physicalCpu);
      if (cpus !== undefined && idsOf(layout, cpus, 'uncoreCache').size === 1) aligned.inc(uncoreCache);
    },
    show({ layout, reserved }, { shared, assignments }) {
      const assigned = new Set(
        [...assignments.values()].flatMap((containers) => [...containers.values()].flatMap((cpus) => [...cpus])),
      );
      sharedPool.set(shared.difference(reserved).size * 1000);
      exclusive.set(assigned.size);
      const byNode = groupCpus(layout.places, assigned, 'numaNode');
      for (const node of layout.groups.numaNode.keys())
        perNode.set(byNode.get(node)?.size ?? 0, { numa_node: String(node) });
      // The series exist from the start.
      aligned.inc(physicalCpu, 0);
      aligned.inc(uncoreCache, 0);
      misaligned.inc(physicalCpu, 0);
    },
  };
}
