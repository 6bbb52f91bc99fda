import { describe, expect, it } from 'vitest';
import { formatMetrics } from './exposition.ts';
import { parseCpuTopology } from './machine-metrics.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { selectMetrics } from './select-metrics.ts';

describe('the Prometheus text', () => {
  it('has families by name, escaped labels and times', () => {
    const labels = { path: 'a"b\\c\nd' };
    const text = formatMetrics([
      { name: 'z', help: 'Last.', type: 'gauge', samples: [{ value: Infinity }, { labels, value: 1.5, timeMs: 7.4 }] },
      { name: 'a_total', help: 'A \\ and\na line.', type: 'counter', samples: [{ value: 1e21 }] },
      { name: 'empty', help: 'No values.', type: 'gauge', samples: [] },
    ]);
    expect(text).toBe(
      [
        String.raw`# HELP a_total A \\ and\na line.`,
        '# TYPE a_total counter',
        'a_total 1e+21',
        '# HELP z Last.',
        '# TYPE z gauge',
        'z +Inf',
        String.raw`z{path="a\"b\\c\nd"} 1.5 7`,
        '',
      ].join('\n'),
    );
  });

  it('is cut to the families of a prefix', () => {
    const text =
      '# HELP a x\n# TYPE a gauge\na 1\n# HELP prober_b y\n# TYPE prober_b counter\nprober_b{x="# HELP a"} 2\n';
    expect(selectMetrics(text, 'prober_')).toBe(
      '# HELP prober_b y\n# TYPE prober_b counter\nprober_b{x="# HELP a"} 2\n',
    );
    expect(selectMetrics(text, 'none')).toBe('');
  });
});

describe('/metrics/resource', () => {
  it('has what was measured, with its times', () => {
    const text = formatMetrics(
      resourceMetrics({
        node: { nodeName: 'n', startTime: 1, cpu: { time: 5000, usageCoreNanoSeconds: 2.5e9 } },
        pods: [
          {
            podRef: { name: 'p', namespace: 'ns', uid: 'u' },
            startTime: 1,
            containers: [
              {
                name: 'c',
                startTime: 1500,
                memory: { time: 6000, workingSetBytes: 7 },
                swap: { time: 6000, swapAvailableBytes: 10, swapUsageBytes: 2 },
              },
            ],
          },
        ],
      }),
    );
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'container_memory_working_set_bytes{container="c",namespace="ns",pod="p"} 7 6000',
      'container_start_time_seconds{container="c",namespace="ns",pod="p"} 1.5',
      'container_swap_limit_bytes{container="c",namespace="ns",pod="p"} 12 6000',
      'container_swap_usage_bytes{container="c",namespace="ns",pod="p"} 2 6000',
      'node_cpu_usage_seconds_total 2.5 5000',
      'resource_scrape_error 0',
    ]);
  });

  it('reports a failure as a metric', () => {
    const values = resourceMetrics(undefined).map(({ name, samples }) => [name, samples[0]?.value]);
    expect(values).toEqual([['resource_scrape_error', 1]]);
  });
});

it('cores and sockets are counted once, however many threads they have', () => {
  const cpu = (socket: number, core: number): string =>
    `processor\t: 0\nphysical id\t: ${String(socket)}\ncore id\t\t: ${String(core)}\n`;
  const cpuinfo = [cpu(0, 0), cpu(0, 0), cpu(0, 1), cpu(1, 0)].join('\n');
  expect(parseCpuTopology(cpuinfo)).toEqual({ physicalCores: 3, sockets: 2 });
  expect(parseCpuTopology('processor : 0\n')).toBeUndefined();
});
