import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { noopMetrics } from './metrics.ts';
import { collectProcessMetrics, createPrometheusMetrics } from './prometheus.ts';

describe('createPrometheusMetrics', () => {
  it('formats counters, gauges and histograms', async () => {
    const registry = new Registry();
    const metrics = createPrometheusMetrics(registry);
    const operations = metrics.counter({ name: 'operations_total', help: 'Operations.', labelNames: ['type'] });
    operations.inc({ type: 'start' });
    operations.inc({ type: 'start' }, 2);
    operations.inc({ type: 'stop' });
    metrics.gauge({ name: 'pods', help: 'Pods.' }).set(7);
    metrics.histogram({ name: 'relist_seconds', help: 'Relists.', buckets: [0.1, 1] }).observe(0.5);
    expect((await registry.metrics()).split('\n')).toEqual(
      expect.arrayContaining([
        '# TYPE operations_total counter',
        'operations_total{type="start"} 3',
        'operations_total{type="stop"} 1',
        '# HELP pods Pods.',
        'pods 7',
        'relist_seconds_bucket{le="0.1"} 0',
        'relist_seconds_bucket{le="1"} 1',
        'relist_seconds_sum 0.5',
        'relist_seconds_count 1',
      ]),
    );
  });

  it('returns the same metric for the same name, even to another owner of the registry', async () => {
    const registry = new Registry();
    for (let owner = 0; owner < 2; owner += 1) {
      const metrics = createPrometheusMetrics(registry);
      metrics.counter({ name: 'count_total', help: 'What it is.' }).inc();
      metrics.gauge({ name: 'level', help: 'What it is.' }).set(owner);
      metrics.histogram({ name: 'size', help: 'What it is.', buckets: [1] }).observe(2);
    }
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['count_total 2', 'level 1', 'size_count 2']));
  });

  it('measures all series of a gauge at each collection', async () => {
    const registry = new Registry();
    let samples = [{ value: 1, labels: { pod: 'a' } }];
    const collect = () => Promise.resolve(samples);
    createPrometheusMetrics(registry).gauge({ name: 'level', help: 'What it is.', labelNames: ['pod'], collect });
    expect(await registry.metrics()).toContain('level{pod="a"} 1');
    samples = [{ value: 2, labels: { pod: 'b' } }];
    const text = await registry.metrics();
    expect(text).toContain('level{pod="b"} 2');
    expect(text).not.toContain('pod="a"');
  });

  it('keeps registries separate', async () => {
    const [mine, theirs] = [new Registry(), new Registry()];
    createPrometheusMetrics(mine).gauge({ name: 'level', help: 'What it is.' }).set(1);
    expect(await theirs.metrics()).not.toContain('level');
  });

  it('removes the series of exactly the given labels', async () => {
    const registry = new Registry();
    const metrics = createPrometheusMetrics(registry);
    const labelNames = ['pod', 'container'];
    const counter = metrics.counter({ name: 'count_total', help: 'What it is.', labelNames });
    const gauge = metrics.gauge({ name: 'level', help: 'What it is.', labelNames });
    const histogram = metrics.histogram({ name: 'size', help: 'What it is.', labelNames, buckets: [1] });
    for (const pod of ['gone', 'here']) {
      const labels = { pod, container: 'app' };
      counter.inc(labels);
      gauge.set(1, labels);
      histogram.observe(1, labels);
    }
    for (const metric of [counter, gauge, histogram]) {
      metric.remove?.({ container: 'app', pod: 'gone' });
      metric.remove?.({ pod: 'here', container: 'other' });
    }
    const text = await registry.metrics();
    expect(text).not.toContain('gone');
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'count_total{pod="here",container="app"} 1',
        'level{pod="here",container="app"} 1',
        'size_count{pod="here",container="app"} 1',
      ]),
    );
    counter.inc({ pod: 'gone', container: 'app' });
    expect(await registry.metrics()).toContain('count_total{pod="gone",container="app"} 1');
  });

  it('rejects a name that has another type', () => {
    const metrics = createPrometheusMetrics(new Registry());
    metrics.counter({ name: 'level', help: 'What it is.' });
    expect(() => metrics.gauge({ name: 'level', help: 'What it is.' })).toThrow(
      'cannot register the metric level as a gauge: the registry has it with another type',
    );
  });

  it('rejects an unknown label', () => {
    const counter = createPrometheusMetrics(new Registry()).counter({
      name: 'count_total',
      help: 'What it is.',
      labelNames: ['a'],
    });
    expect(() => counter.inc({ b: '' })).toThrow('b');
  });
});

describe('collectProcessMetrics', () => {
  it('counts the CPU time since the process began, however late it is called', async () => {
    const registry = new Registry();
    const before = process.cpuUsage();
    collectProcessMetrics(registry);
    const text = await registry.metrics();
    const after = process.cpuUsage();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) * 1e6;
    const between = (name: string, least: number, most: number): void => {
      expect(value(name)).toBeGreaterThanOrEqual(least - 1);
      expect(value(name)).toBeLessThanOrEqual(most + 1);
    };
    between('process_cpu_user_seconds_total', before.user, after.user);
    between('process_cpu_system_seconds_total', before.system, after.system);
    between('process_cpu_seconds_total', before.user + before.system, after.user + after.system);
  });
});

describe('noopMetrics', () => {
  it('accepts every measurement', () => {
    expect(() => {
      const counter = noopMetrics.counter({ name: 'a', help: 'What it is.' });
      counter.inc({ label: 'x' }, 2);
      counter.remove?.({ label: 'x' });
      noopMetrics.gauge({ name: 'b', help: 'What it is.' }).set(1);
      noopMetrics.histogram({ name: 'c', help: 'What it is.', buckets: [] }).observe(1);
    }).not.toThrow();
  });
});
