import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Parts of a histogram of `monitorEventLoopDelay` that the metrics use; all values in nanoseconds. */
export type EventLoopDelays = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile' | 'reset'
>;

const METRICS = {
  min: ['nodejs_eventloop_lag_min_seconds', 'The minimum recorded event loop delay.'],
  max: ['nodejs_eventloop_lag_max_seconds', 'The maximum recorded event loop delay.'],
  mean: ['nodejs_eventloop_lag_mean_seconds', 'The mean of the recorded event loop delays.'],
  stddev: ['nodejs_eventloop_lag_stddev_seconds', 'The standard deviation of the recorded event loop delays.'],
  p50: ['nodejs_eventloop_lag_p50_seconds', 'The 50th percentile of the recorded event loop delays.'],
  p90: ['nodejs_eventloop_lag_p90_seconds', 'The 90th percentile of the recorded event loop delays.'],
  p99: ['nodejs_eventloop_lag_p99_seconds', 'The 99th percentile of the recorded event loop delays.'],
} as const;

type Statistic = keyof typeof METRICS;

/** The names that prom-client uses for the same metrics. */
export const eventLoopLagMetricNames: readonly string[] = Object.values(METRICS).map(([name]) => name);

/** Registers gauges of the event loop's lag since the last collection, measured every `resolutionMs`. Without a sample since then they have no values. */
export function collectEventLoopLag(
  registry: Registry,
  resolutionMs: number,
  delays: EventLoopDelays = monitor(resolutionMs),
): void {
  const gauges = new Map<Statistic, Gauge>();
  for (const [statistic, [name, help]] of Object.entries(METRICS) as [Statistic, readonly [string, string]][]) {
    // The first gauge sets all of them, so that the histogram is read and reset once per collection.
    const collect = statistic !== 'min' ? {} : { collect: setAll };
    gauges.set(statistic, new Gauge({ name, help, registers: [registry], ...collect }));
  }

  function setAll(): void {
    const lags = lagSeconds(delays, resolutionMs);
    for (const [statistic, gauge] of gauges) {
      if (lags === undefined) gauge.remove();
      else gauge.set(lags[statistic]);
    }
    delays.reset();
  }
}

/** Returns the lag, in seconds; `undefined` without a sample. The recorded delays are times between two samples, which include the resolution. */
function lagSeconds(delays: EventLoopDelays, resolutionMs: number): Record<Statistic, number> | undefined {
  // The histogram has placeholders, which would look like a measured lag.
  if (delays.count === 0) return undefined;
  const lag = (nanos: number): number => Math.max(0, nanos / 1e9 - resolutionMs / 1e3);
  return {
    min: lag(delays.min),
    max: lag(delays.max),
    mean: lag(delays.mean),
    stddev: delays.stddev / 1e9,
    p50: lag(delays.percentile(50)),
    p90: lag(delays.percentile(90)),
    p99: lag(delays.percentile(99)),
  };
}

function monitor(resolutionMs: number): EventLoopDelays {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return delays;
}
