import type { NumaHint, ResourceHints } from '@rxlet/agent-api/topology';
import { numaNodeSets } from '@rxlet/machine/topology';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeHints } from './merge-hints.ts';
import { createTopologyPolicy, type TopologyPolicySettings } from './topology-policy.ts';

const hint = (isPreferred: boolean, ...numaNodes: readonly number[]): NumaHint => ({ numaNodes, isPreferred });

function policyOf(policy: string, settings: Partial<TopologyPolicySettings> = {}) {
  const numaNodes = [0, 1, 2].map((id) => ({ id }));
  return createTopologyPolicy({ policy, scope: 'container', numaNodes, ...settings });
}

describe('mergeHints', () => {
  it('chooses the preferred nodes that all resources have', () => {
    const hints = [{ cpu: [hint(true, 0), hint(true, 1)] }, { memory: [hint(true, 1), hint(false, 0, 1)] }];
    expect(mergeHints(policyOf('restricted'), hints)).toEqual({ hint: hint(true, 1), isAdmitted: true });
  });

  it('admits by best-effort what the other policies reject', () => {
    const hints = [{ cpu: [hint(true, 0)] }, { gpu: [hint(true, 1)] }];
    expect(mergeHints(policyOf('best-effort'), hints)).toEqual({ hint: hint(false, 0, 1, 2), isAdmitted: true });
    expect(mergeHints(policyOf('restricted'), hints).isAdmitted).toBe(false);
    expect(mergeHints(policyOf('single-numa-node'), hints).isAdmitted).toBe(false);
  });

  it('rejects several nodes with single-numa-node', () => {
    const hints = [{ cpu: [hint(true, 0, 1)] }];
    expect(mergeHints(policyOf('restricted'), hints)).toEqual({ hint: hint(true, 0, 1), isAdmitted: true });
    expect(mergeHints(policyOf('single-numa-node'), hints).isAdmitted).toBe(false);
  });

  it('has no preference where no provider has one', () => {
    for (const hints of [[], [undefined], [{}], [{ gpu: undefined }]]) {
      expect(mergeHints(policyOf('restricted'), hints)).toEqual({ hint: hint(true, 0, 1, 2), isAdmitted: true });
      const any = { numaNodes: undefined, isPreferred: true };
      expect(mergeHints(policyOf('single-numa-node'), hints)).toEqual({ hint: any, isAdmitted: true });
    }
  });

  it('rejects a resource that no nodes can provide', () => {
    expect(mergeHints(policyOf('restricted'), [{ cpu: [] }]).isAdmitted).toBe(false);
  });

  it('prefers close nodes with prefer-closest-numa-nodes', () => {
    const numaNodes = [
      { id: 0, distances: [10, 40, 11] },
      { id: 1, distances: [40, 10, 40] },
      { id: 2, distances: [11, 40, 10] },
    ];
    const hints = [{ cpu: [hint(true, 0, 1), hint(true, 0, 2)] }];
    const closest = policyOf('restricted', { numaNodes, options: { 'prefer-closest-numa-nodes': 'true' } });
    expect(mergeHints(policyOf('restricted'), hints).hint).toEqual(hint(true, 0, 1));
    expect(mergeHints(closest, hints).hint).toEqual(hint(true, 0, 2));
  });

  it('merges hints of many resources for many nodes in time', () => {
    const ids = Array.from({ length: 8 }, (_, id) => id);
    const all = [...numaNodeSets(ids)].map((nodes) => hint(nodes.length === 1, ...nodes));
    const hints = Array.from({ length: 12 }, (_, index): ResourceHints => ({ [`resource${String(index)}`]: all }));
    const policy = policyOf('restricted', { numaNodes: ids.map((id) => ({ id })) });
    expect(mergeHints(policy, hints)).toEqual({ hint: hint(true, 0), isAdmitted: true });
  });

  it('finds the best of all choices of one hint for each resource', () => {
    const hints = fc.array(
      fc.record({ numaNodes: fc.uniqueArray(fc.nat(2), { minLength: 1 }), isPreferred: fc.boolean() }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(hints, { minLength: 1, maxLength: 4 }), (resources) => {
        const choices = resources.reduce<NumaHint[][]>(
          (before, list) => before.flatMap((chosen) => list.map((added) => [...chosen, added])),
          [[]],
        );
        const preferred = choices
          .filter((chosen) => chosen.every(({ isPreferred }) => isPreferred))
          .map((chosen) => chosen.map(({ numaNodes = [] }) => numaNodes.toSorted((left, right) => left - right).join()))
          .filter((nodes) => new Set(nodes).size === 1)
          .map(([nodes = '']) => nodes.split(',').length);
        const merged = mergeHints(
          policyOf('restricted'),
          resources.map((list) => ({ resource: list })),
        );
        expect(merged.isAdmitted).toBe(preferred.length > 0);
        if (merged.isAdmitted) expect(merged.hint.numaNodes).toHaveLength(Math.min(...preferred));
      }),
    );
  });
});

describe('createTopologyPolicy', () => {
  const nine = Array.from({ length: 9 }, (_, id) => ({ id }));

  it.each<[string, Partial<TopologyPolicySettings>, string]>([
    ['an unknown policy', { policy: 'strict' }, 'unknown topology manager policy: "strict"'],
    ['an unknown scope', { scope: 'node' }, 'unknown topology manager scope: "node"'],
    ['an unknown option', { options: { fast: 'true' } }, 'unknown Topology Manager Policy option: "fast"'],
    [
      'an option that is no boolean',
      { options: { 'prefer-closest-numa-nodes': 'x' } },
      '"x" is neither true nor false',
    ],
    [
      'an option that is no number',
      { options: { 'max-allowable-numa-nodes': 'x' } },
      'unable to convert policy option',
    ],
    ['a limit below eight', { options: { 'max-allowable-numa-nodes': '4' } }, 'should not be less than 8'],
    ['nodes without distances', { options: { 'prefer-closest-numa-nodes': 'true' } }, 'no distances of NUMA nodes'],
    ['too many nodes', { numaNodes: nine }, 'the machine has 9; the option max-allowable-numa-nodes raises the limit'],
  ])('rejects %s', (_, settings, message) => {
    const all = { policy: 'restricted', scope: 'pod', numaNodes: [{ id: 0 }], ...settings };
    expect(() => createTopologyPolicy(all)).toThrow(message);
  });

  it('accepts more nodes with max-allowable-numa-nodes, and any number without alignment', () => {
    const options = { 'max-allowable-numa-nodes': '9' };
    expect(policyOf('restricted', { numaNodes: nine, options }).numaNodes).toHaveLength(9);
    expect(policyOf('none', { numaNodes: nine, scope: 'node' }).name).toBe('none');
  });
});
