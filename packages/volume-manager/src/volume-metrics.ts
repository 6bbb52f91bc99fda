import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';

/** Metrics of volumes, with the kubelet's names. */
export interface VolumeMetrics {
  /** Measures an operation on a volume. */
  measure<T>(operation: VolumeOperationName, volume: MeasuredVolume, work: () => Promise<T>): Promise<T>;
  /** Observes the time from the request for a volume until it is set up, with attachment and retries. */
  mounted(plugin: string, beganMs: number): void;
  /** Counts a volume of an earlier agent whose record was read at the start, or could not be read. */
  reconstructed(isFailed: boolean): void;
  /** Sets the numbers of ended pods whose volumes were removed by the last clean-up, and could not be removed. */
  setOrphans(cleaned: number, failed: number): void;
  /** Sets the numbers of volumes; each volume is given by the name of its plugin. */
  setTotals(state: 'desired_state_of_world' | 'actual_state_of_world', plugins: readonly string[]): void;
}

/** Volume of an operation. */
export interface MeasuredVolume {
  /** Name of its plugin in metrics. */
  readonly plugin: string;
  /** The volume has another source in the API (kubelet: migrated). */
  readonly isTranslated: boolean;
}

/** Operations as the kubelet names them in metrics. */
export type VolumeOperationName =
  'volume_mount' | 'volume_unmount' | 'map_volume' | 'unmap_volume' | 'volume_fs_resize';

const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** Creates {@link VolumeMetrics}. */
export function createVolumeMetrics(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): VolumeMetrics {
  const durations = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: '[ALPHA] Storage operation duration',
    labelNames: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: DURATION_BUCKETS,
  });
  const endToEnd = metrics.histogram({
    name: 'volume_operation_total_seconds',
    help: '[ALPHA] Storage operation end to end duration in seconds',
    labelNames: ['plugin_name', 'operation_name'],
    buckets: DURATION_BUCKETS,
  });
  const reconstructions = metrics.counter({
    name: 'reconstruct_volume_operations_total',
    help: '[ALPHA] The number of volumes that were attempted to be reconstructed from the operating system during kubelet startup. This includes both successful and failed reconstruction.',
  });
  const failedReconstructions = metrics.counter({
    name: 'reconstruct_volume_operations_errors_total',
    help: '[ALPHA] The number of volumes that failed reconstruction from the operating system during kubelet startup.',
  });
  const cleanedOrphans = metrics.gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes',
    help: '[ALPHA] The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.',
  });
  const failedOrphans = metrics.gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes_errors',
    help: '[ALPHA] The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.',
  });
  const totals = metrics.gauge({
    name: 'volume_manager_total_volumes',
    help: '[ALPHA] Number of volumes in Volume Manager',
    labelNames: ['plugin_name', 'state'],
  });
  /** Values of `volume_manager_total_volumes`, by state and plugin. */
  const known = new Map<string, Map<string, number>>();
  return {
    async measure(operation, { plugin, isTranslated }, work) {
      const beganMs = clock.monotonicNow();
      const labels = { volume_plugin: plugin, operation_name: operation, migrated: String(isTranslated) };
      const observe = (status: string): void =>
        durations.observe((clock.monotonicNow() - beganMs) / 1000, { ...labels, status });
      try {
        const result = await work();
        observe('success');
        return result;
      } catch (error) {
        observe('fail-unknown');
        throw error;
      }
    },
    mounted: (plugin, beganMs) =>
      endToEnd.observe((clock.monotonicNow() - beganMs) / 1000, {
        plugin_name: plugin,
        operation_name: 'overall_volume_mount',
      }),
    reconstructed(isFailed) {
      reconstructions.inc();
      if (isFailed) failedReconstructions.inc();
    },
    setOrphans(cleaned, failed) {
      cleanedOrphans.set(cleaned);
      failedOrphans.set(failed);
    },
    setTotals(state, plugins) {
      const counts = known.get(state) ?? new Map<string, number>();
      known.set(state, counts);
      for (const name of counts.keys()) counts.set(name, 0);
      for (const plugin of plugins) counts.set(plugin, (counts.get(plugin) ?? 0) + 1);
      for (const [name, count] of counts) totals.set(count, { plugin_name: name, state });
    },
  };
}
