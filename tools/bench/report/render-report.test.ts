import { describe, expect, it } from 'vitest';
import { renderReport } from './render-report.ts';
import { createSamples, type Metric, ratioOf, spreadOf } from './samples.ts';

const start: Metric = { section: 'Start', name: 'CPU', unit: 's' };
const memory: Metric = { section: 'Start', name: 'memory', unit: 'MB' };
const logs: Metric = { section: 'Throughput', name: 'log', unit: 'MB/s', isRate: true };

function render(external: boolean): string {
  const samples = createSamples();
  const add = (metric: Metric, own: readonly number[], other: readonly number[]): void => {
    own.forEach((value) => samples.add(metric, 'rxlet', value));
    if (external) other.forEach((value) => samples.add(metric, 'kubelet', value));
  };
  add(start, [0.3, 0.2, 0.4], [0.2, 0.2, 0.2]);
  add(memory, [80], [80]);
  add(logs, [300, 300], [100, 100]);
  const agents = [{ name: 'rxlet', version: '1' }, ...(external ? [{ name: 'kubelet', version: 'v1.36.2' }] : [])];
  const rest = { machine: ['2 CPUs'], omissions: ['the fleet'], command: 'npm run bench' };
  return renderReport({ agents, samples: samples.list(), ...rest });
}

describe('the report of the benchmark', () => {
  it('shows medians with their spread, and ratios within rounds', () => {
    const report = render(true);
    expect(report).toContain('| CPU | 0.30 s (0.20–0.40) | 0.20 s (0.20–0.20) | 1.50 |');
    expect(report).toContain('| memory | 80 MB | 80 MB | 1.00 |');
    expect(report).toContain('- kubelet: v1.36.2');
  });

  it('says where each agent is ahead, with more throughput as the better', () => {
    const [, behind = '', ahead = ''] = render(true).split(/## Where .* is ahead\n/);
    expect(behind.trim()).toBe('- Start: CPU (1.50)');
    expect(ahead).toContain('- Throughput: log (3.00)');
  });

  it('has no ratios without another agent', () => {
    const report = render(false);
    expect(report).toContain('| CPU | 0.30 s (0.20–0.40) |');
    expect(report).not.toContain('ratio');
    expect(report).toContain('## Not measured\n\n- the fleet');
  });
});

describe('ratioOf', () => {
  it('pairs the values of a round', () => {
    expect(ratioOf([2, 9, 4], [1, 3, 4])).toEqual({ median: 2, least: 1, most: 3, count: 3 });
  });

  it('has no value without a pair', () => {
    expect(ratioOf([1], [])).toBeUndefined();
    expect(ratioOf([1], [0])).toBeUndefined();
    expect(spreadOf([])).toBeUndefined();
  });
});
