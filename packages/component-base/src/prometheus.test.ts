import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { noopMetrics } from './metrics.ts';
import { createPrometheusMetrics } from './prometheus.ts';

describe('createPrometheusMetrics', () => {
  it('writes counters, gauges and histograms as text', async () => {
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

  it('gives the same metric for the same name, also to another owner of the registry', async () => {
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

  it('keeps registries apart', async () => {
    const [mine, theirs] = [new Registry(), new Registry()];
    createPrometheusMetrics(mine).gauge({ name: 'level', help: 'What it is.' }).set(1);
    expect(await theirs.metrics()).not.toContain('level');
  });

  it('takes away the series of the labels given, and no other', async () => {
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

  it('refuses a name that is another type of metric', () => {
    const metrics = createPrometheusMetrics(new Registry());
    metrics.counter({ name: 'level', help: 'What it is.' });
    expect(() => metrics.gauge({ name: 'level', help: 'What it is.' })).toThrow(
      'the metric level exists already, but not as a gauge',
    );
  });

  it('refuses a label that the metric does not have', () => {
    const counter = createPrometheusMetrics(new Registry()).counter({
      name: 'count_total',
      help: 'What it is.',
      labelNames: ['a'],
    });
    expect(() => counter.inc({ b: '' })).toThrow('b');
  });
});

describe('noopMetrics', () => {
  it('takes every measurement', () => {
    expect(() => {
      const counter = noopMetrics.counter({ name: 'a', help: 'What it is.' });
      counter.inc({ label: 'x' }, 2);
      counter.remove?.({ label: 'x' });
      noopMetrics.gauge({ name: 'b', help: 'What it is.' }).set(1);
      noopMetrics.histogram({ name: 'c', help: 'What it is.', buckets: [] }).observe(1);
    }).not.toThrow();
  });
});
