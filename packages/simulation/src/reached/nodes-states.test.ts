import { describe, expect, it } from 'vitest';
import type { HistoryFact } from '../history/history.ts';
import { agent, container, desire, status } from '../properties/test-support.ts';
import { NODES_STATES } from './nodes-states.ts';

type OfNode = readonly [node: string, fact: HistoryFact];

const before: OfNode = ['node1', desire()];
const after: OfNode = ['node2', desire({ uid: 'v' })];
const started: OfNode = ['node1', container('started')];
const startedAfter: OfNode = ['node2', container('started', { id: 'c1', uid: 'v' })];
const forced: OfNode = ['node1', { kind: 'undesired', uid: 'u', graceSeconds: 0 }];
const killed: OfNode = ['node1', agent('killed')];

/** Each state, a history that reaches it, and one that almost does. */
const histories: Readonly<Record<string, readonly [reaches: readonly OfNode[], almost: readonly OfNode[]]>> = {
  'a pod moves to another node': [
    [before, after],
    [before, ['node1', desire({ uid: 'v' })]],
  ],
  'pods of one name run on two nodes': [
    [before, started, after, startedAfter],
    [before, started, ['node1', container('exited')], after, startedAfter],
  ],
  'a pod is deleted by force while the agent of its node is away': [
    [killed, forced],
    [killed, ['node1', agent('started')], forced],
  ],
  'an agent starts a container while that of another node is away': [
    [killed, startedAfter],
    [killed, started],
  ],
  'an agent reports a pod whose name is one of another node by now': [
    [before, after, ['node1', status('Failed')]],
    [before, ['node1', status('Failed')], after],
  ],
};

describe.each(NODES_STATES)('the state $name', ({ name, count }) => {
  const [reaches, almost] = histories[name] ?? [];
  const counted = (facts: readonly OfNode[] = []): number =>
    count(facts.map(([node, fact], index) => ({ atMs: index, node, ...fact })));

  it('is counted once in a history that reaches it', () => expect(counted(reaches)).toBe(1));

  it('is not counted in one that almost does', () => {
    expect(almost).not.toHaveLength(0);
    expect(counted(almost)).toBe(0);
  });
});
