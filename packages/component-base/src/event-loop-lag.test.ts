import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { systemClock } from './system-clock.ts';
import { collectEventLoopLag, type EventLoopDelays } from './event-loop-lag.ts';
import { collectProcessMetrics } from './prometheus.ts';

async function valueOf(registry: Registry, name: string): Promise<number | undefined> {
  return (await registry.getSingleMetric(`nodejs_eventloop_lag_${name}_seconds`)?.get())?.values[0]?.value;
}

it('reports the lag without the sampling interval, and resets at each collection', async () => {
  const second = 1e9;
  let resets = 0;
  const delays: EventLoopDelays = {
    count: 3,
    min: second - 1e6,
    max: 1.25 * second,
    mean: 1.05 * second,
    stddev: 0.1 * second,
    percentile: (percentile) => second + percentile * 1e6,
    reset: () => (resets += 1),
  };
  const registry = new Registry();
  collectEventLoopLag(registry, 1000, delays);
  await registry.metrics();
  expect(resets).toBe(1);
  const values = await Promise.all(['max', 'mean', 'stddev', 'p50', 'p99'].map((name) => valueOf(registry, name)));
  expect(values.map((value) => value?.toFixed(3))).toEqual(['0.250', '0.050', '0.100', '0.050', '0.099']);
  // Timers may fire early by rounding.
  expect(await valueOf(registry, 'min')).toBe(0);
});

it('has no values without a sample, as at the first collection, and those of the next samples after that', async () => {
  const delays = {
    count: 0,
    min: 2 ** 62,
    max: 0,
    mean: NaN,
    stddev: NaN,
    percentile: () => 0,
    reset: () => undefined,
  };
  const registry = new Registry();
  collectEventLoopLag(registry, 1000, delays);
  expect(await registry.metrics()).not.toMatch(/^nodejs_eventloop_lag/m);
  Object.assign(delays, { count: 1, min: 1.5e9, max: 1.5e9, mean: 1.5e9, stddev: 0 });
  await registry.metrics();
  expect([await valueOf(registry, 'min'), await valueOf(registry, 'mean')]).toEqual([0.5, 0.5]);
});

it('reports the metrics of the process with an idle lag far below the sampling interval', async () => {
  const registry = new Registry();
  collectProcessMetrics(registry, { eventLoopResolutionMs: 200 });
  await sleep(systemClock, 450);
  const text = await registry.metrics();
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  expect(Number(/^nodejs_eventloop_lag_min_seconds (.*)$/m.exec(text)?.[1])).toBeLessThan(0.15);
});
