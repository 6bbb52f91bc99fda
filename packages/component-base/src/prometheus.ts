import {
  Counter as PrometheusCounter,
  Gauge as PrometheusGauge,
  Histogram as PrometheusHistogram,
  type Metric,
  type Registry,
} from 'prom-client';
import type { Metrics } from './metrics.ts';

/**
 * The {@link Metrics} port on a registry of `prom-client`, which writes the Prometheus text format. It throws for a name that the registry knows as
 * another type of metric, and for a label that the metric does not have.
 */
export function createPrometheusMetrics(registry: Registry): Metrics {
  const once = <T extends Metric>(name: string, type: new (...options: never[]) => T, create: () => T): T => {
    const existing: unknown = registry.getSingleMetric(name);
    if (existing === undefined) return create();
    if (existing instanceof type) return existing;
    throw new Error(`the metric ${name} exists already, but not as a ${type.name.toLowerCase()}`);
  };
  return {
    counter({ name, help, labelNames = [] }) {
      const options = { name, help, labelNames: [...labelNames], registers: [registry] };
      const metric = once(name, PrometheusCounter, () => new PrometheusCounter(options));
      return { inc: (labels = {}, by = 1) => metric.inc(labels, by), remove: (labels) => metric.remove(labels) };
    },
    gauge({ name, help, labelNames = [], read }) {
      const options = { name, help, labelNames: [...labelNames], registers: [registry] };
      const collect = read && { collect: (): void => metric.set(read()) };
      const metric = once(name, PrometheusGauge, () => new PrometheusGauge({ ...options, ...collect }));
      return { set: (value, labels = {}) => metric.set(labels, value), remove: (labels) => metric.remove(labels) };
    },
    histogram({ name, help, labelNames = [], buckets }) {
      const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] };
      const metric = once(name, PrometheusHistogram, () => new PrometheusHistogram(options));
      return {
        observe: (value, labels = {}) => metric.observe(labels, value),
        remove: (labels) => metric.remove(labels),
      };
    },
  };
}
