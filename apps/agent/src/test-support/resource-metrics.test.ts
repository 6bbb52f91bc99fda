import { expect, it } from 'vitest';
import { parseResourceMetrics, usageBetween } from './resource-metrics.ts';

const scrape = (cpuSeconds: number, timeMs: number): string => `# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total ${String(cpuSeconds * 2)} ${String(timeMs)}
node_memory_working_set_bytes 4096 ${String(timeMs + 5)}
container_cpu_usage_seconds_total{container="app",namespace="shop",pod="web"} ${String(cpuSeconds)} ${String(timeMs)}
container_memory_working_set_bytes{container="app",namespace="shop",pod="web"} 2048 ${String(timeMs)}
container_memory_working_set_bytes{container="other",namespace="shop",pod="web"} 1 ${String(timeMs)}
resource_scrape_error 0
`;

it('gives the usage of a node and its containers between two scrapes', () => {
  const [before, after] = [scrape(10, 1000), scrape(10.5, 3000)].map((text) => parseResourceMetrics('node1', text));
  const window = { node: 'node1', timeMs: 3000, windowMs: 2000 };
  expect(usageBetween(before!, after!)).toEqual([
    { ...window, namespace: '', pod: '', container: '', cpuNanoCores: 500_000_000, memoryBytes: 4096 },
    { ...window, namespace: 'shop', pod: 'web', container: 'app', cpuNanoCores: 250_000_000, memoryBytes: 2048 },
  ]);
  expect(usageBetween(after!, after!)).toEqual([]);
});
