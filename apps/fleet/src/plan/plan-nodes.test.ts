import { describe, expect, it } from 'vitest';
import { DEFAULT_TEMPLATE } from './node-template.ts';
import { type FleetPlan, planNodes } from './plan-nodes.ts';

const plan: FleetPlan = {
  nodes: 10,
  prefix: 'fake-',
  shard: { index: 1, count: 1 },
  template: DEFAULT_TEMPLATE,
  zones: ['a', 'b'],
  address: '127.0.0.1',
  firstPort: 20_000,
  faults: [],
};

describe('planNodes', () => {
  it('plans the same nodes in however many shards', () => {
    const shards = [1, 2, 3].flatMap((index) => planNodes({ ...plan, shard: { index, count: 3 } }));
    expect(shards).toEqual(planNodes(plan));
  });

  it('gives nodes zones in turn, and ports and ranges of addresses of their own', () => {
    const nodes = planNodes(plan);
    expect(nodes.map(({ labels }) => labels['topology.kubernetes.io/zone']).slice(0, 3)).toEqual(['a', 'b', 'a']);
    expect(new Set(nodes.map(({ port }) => port)).size).toBe(10);
    expect(nodes.map(({ podCidr }) => podCidr).slice(0, 5)).toEqual([
      ...['10.0.0.0/22', '10.0.4.0/22', '10.0.8.0/22', '10.0.12.0/22', '10.0.16.0/22'],
    ]);
  });
});
