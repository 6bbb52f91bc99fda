import { describe, expect, it } from 'vitest';
import type { HistoryEvent, HistoryFact } from '../history/history.ts';
import { PROPERTIES } from './properties.ts';
import { checkProperties } from './property.ts';
import { call, container, criticalPod, desire, running, sandbox, status, terminate } from './test-support.ts';

/** A fact of a node, a second after the one before; without a node, one of all. */
type OfNode = readonly [node: string | undefined, fact: HistoryFact, afterMs?: number];

function violations(...facts: readonly OfNode[]): readonly string[] {
  let atMs = 0;
  const history = facts.map(([node, fact, afterMs = 1_000]): HistoryEvent => {
    atMs += afterMs;
    return { atMs, ...(node !== undefined && { node }), ...fact };
  });
  return checkProperties(PROPERTIES, history).map(({ property, text }) => `${property}: ${text}`);
}

const write = (precondition: string | undefined, code?: number): HistoryFact => ({
  kind: 'pod-write',
  method: 'PATCH',
  pod: 'u',
  boundTo: 'node1',
  precondition,
  ...(code !== undefined && { code }),
});
const tick: HistoryFact = { kind: 'step', text: 'label name=other value=a' };
const fault: HistoryFact = { kind: 'step', text: 'outage ms=1', isFault: true };
const undesired: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: 5 };
const runsOnNode1 = running.map((fact): OfNode => ['node1', fact]);

describe('an agent among others', () => {
  it('may act on a pod of its node', () => {
    expect(violations(['node1', desire()], ['node1', call('runPodSandbox', 'u')])).toEqual([]);
  });

  it('must not act on a pod of another node', () => {
    expect(violations(['node1', desire()], ['node2', call('runPodSandbox', 'u')])).toEqual([
      'acts-on-own-pods: node2 calls runPodSandbox for u, a pod of node1',
    ]);
  });

  it.each<[string, HistoryFact]>([
    ['without the UID of the pod', write(undefined, 403)],
    ['with the UID of the pod', write('u')],
    ['with success', write('before', 200)],
  ])('must not write to a pod of another node %s', (_, fact) => {
    expect(violations(['node1', desire()], ['node2', fact])).toEqual([
      'writes-own-pods: node2 sends PATCH for u, a pod of node1',
    ]);
  });

  it('may write with the UID of a pod whose name another node has by now, and to its own pods', () => {
    expect(violations(['node1', desire()], ['node2', write('before', 409)], ['node1', write('u', 200)])).toEqual([]);
  });

  it('keeps the properties of a single node apart from the others', () => {
    expect(violations(...runsOnNode1, ['node2', sandbox])).toEqual([]);
    expect(violations(...runsOnNode1, ['node1', { ...sandbox, id: 's1' } as HistoryFact])).toEqual([
      'single-instances: node1: u has two ready sandboxes: s0 and s1',
    ]);
  });
});

describe('a node without faults', () => {
  it('must start its pods soon while another node has faults', () => {
    expect(violations(['node2', fault], ['node1', desire()], [undefined, tick, 31_000])).toEqual([
      'sound-nodes-are-prompt: node1: u does not start in time on a node without faults',
    ]);
  });

  it('need not start a rejected pod, also when it changes', () => {
    const rejected: OfNode = ['node1', status('Failed')];
    expect(violations(['node1', desire()], rejected, ['node1', desire()], [undefined, tick, 36_000])).toEqual([]);
  });

  it('starts a critical pod soon after the end of those that make room for it', () => {
    const waits: readonly OfNode[] = [
      ...runsOnNode1,
      ['node1', { kind: 'desired', pod: criticalPod }],
      ['node1', terminate('pre-empted')],
    ];
    expect(violations(...waits, [undefined, tick, 74_000])).toEqual([]);
    expect(violations(...waits, [undefined, tick, 76_000])).toEqual([
      'sound-nodes-are-prompt: node1: critical does not start in time on a node without faults',
    ]);
    const behind: OfNode = ['node1', desire({ uid: 'v' })];
    expect(violations(...waits, behind, [undefined, tick, 73_000])).toEqual([]);
  });

  it('must end its pods soon after their grace period', () => {
    expect(violations(...runsOnNode1, ['node1', undesired], [undefined, tick, 34_000])).toEqual([]);
    expect(violations(...runsOnNode1, ['node1', undesired], [undefined, tick, 36_000])).toEqual([
      'sound-nodes-are-prompt: node1: u does not end in time on a node without faults',
    ]);
    expect(
      violations(...runsOnNode1, ['node1', undesired], ['node1', container('exited')], [undefined, tick, 36_000]),
    ).toEqual([]);
  });

  it('gives pods that are deleted by force their own grace periods', () => {
    const forced: OfNode = ['node1', { kind: 'undesired', uid: 'u', graceSeconds: 0 }];
    expect(violations(...runsOnNode1, forced, [undefined, tick, 34_000])).toEqual([]);
  });

  it.each<[string, string | undefined]>([
    ['it has a fault itself', 'node1'],
    ['all have one', undefined],
  ])('may be slow once %s', (_, node) => {
    expect(violations(['node1', desire()], [node, fault], [undefined, tick, 60_000])).toEqual([]);
  });
});
