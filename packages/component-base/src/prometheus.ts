import {
  collectDefaultMetrics,
  Counter as PrometheusCounter,
  Gauge as PrometheusGauge,
  Histogram as PrometheusHistogram,
  type Metric,
  type Registry,
} from 'prom-client';
import { collectEventLoopLag, eventLoopLagMetricNames } from './event-loop-lag.ts';
import type { Metrics } from './metrics.ts';
import { collectProcessLimits } from './process-limits.ts';

/**
 * Creates the {@link Metrics} port on a registry of `prom-client`, which formats the Prometheus text. It throws for a name that the registry has with another type,
 * and for a label that the metric does not have.
 */
export function createPrometheusMetrics(registry: Registry): Metrics {
  const once = <T extends Metric>(name: string, type: new (...options: never[]) => T, create: () => T): T => {
    const existing: unknown = registry.getSingleMetric(name);
    if (existing === undefined) return create();
    if (existing instanceof type) return existing;
    throw new Error(
      `cannot register the metric ${name} as a ${type.name.toLowerCase()}: the registry has it with another type`,
    );
  };
  return {
    counter({ name, help, labelNames = [] }) {
      const options = { name, help, labelNames: [...labelNames], registers: [registry] };
      const metric = once(name, PrometheusCounter, () => new PrometheusCounter(options));
      return { inc: (labels = {}, by = 1) => metric.inc(labels, by), remove: (labels) => metric.remove(labels) };
    },
    gauge({ name, help, labelNames = [], read, collect: measure }) {
      const options = { name, help, labelNames: [...labelNames], registers: [registry] };
      const collectAll = measure && {
        async collect(): Promise<void> {
          const samples = await measure();
          metric.reset();
          for (const { value, labels } of samples) metric.set(labels, value);
        },
      };
      const collect = read === undefined ? collectAll : { collect: (): void => metric.set(read()) };
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

/** Options of {@link collectProcessMetrics}. */
export interface ProcessMetricsOptions {
  /** Interval at which the lag of the event loop is sampled, in milliseconds. Default: 1000. */
  readonly eventLoopResolutionMs?: number | undefined;
}

/** The longest interval of a timer, so that prom-client's own sampling of the event loop costs nothing. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * Registers prom-client's metrics of the process and of Node.js. CPU times are those since the process began, garbage collections those from now on. The lag of the event loop
 * excludes the sampling interval, which prom-client's own metrics include.
 */
export function collectProcessMetrics(registry: Registry, options: ProcessMetricsOptions = {}): void {
  // Sampling every 10 ms, prom-client's default, would be most of the cost of an idle agent.
  const { eventLoopResolutionMs = 1000 } = options;
  const earlier = process.cpuUsage();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of eventLoopLagMetricNames) registry.removeSingleMetric(name);
  collectEventLoopLag(registry, eventLoopResolutionMs);
  collectProcessLimits(registry);
  addEarlierCpuTime(registry, earlier);
}

/** Adds the CPU time before the registration, from which on prom-client counts. */
function addEarlierCpuTime(registry: Registry, { user, system }: NodeJS.CpuUsage): void {
  const add = (name: string, micros: number): void => {
    (registry.getSingleMetric(name) as PrometheusCounter).inc(micros / 1e6);
  };
  add('process_cpu_user_seconds_total', user);
  add('process_cpu_system_seconds_total', system);
  add('process_cpu_seconds_total', user + system);
}
