import type { Metrics } from '@rxlet/component-base/metrics';

/** Metrics of device plugins, by the kubelet's names. */
export interface DeviceManagerMetrics {
  registered(resource: string): void;
  allocated(resource: string, durationMs: number): void;
}

/** Bound for names in the metric of registrations: everyone who may register chooses them. */
const MAX_NAMES = 512;

/** Registers the {@link DeviceManagerMetrics}. */
export function createDeviceManagerMetrics(metrics: Metrics): DeviceManagerMetrics {
  const names = new Set<string>();
  const labelNames = ['resource_name'];
  const registrations = metrics.counter({
    name: 'kubelet_device_plugin_registration_total',
    help: '[ALPHA] Cumulative number of device plugin registrations. Broken down by resource name.',
    labelNames,
  });
  const durations = metrics.histogram({
    name: 'kubelet_device_plugin_alloc_duration_seconds',
    help: '[ALPHA] Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    registered(resource) {
      if (!names.has(resource) && names.size >= MAX_NAMES) return;
      names.add(resource);
      registrations.inc({ resource_name: resource });
    },
    allocated: (resource, durationMs) => durations.observe(durationMs / 1_000, { resource_name: resource }),
  };
}
