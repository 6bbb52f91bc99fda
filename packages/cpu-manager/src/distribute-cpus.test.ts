import { createTestTopology } from '@rxlet/machine/testing';
import { formatCpuSet, type MachineTopology } from '@rxlet/machine/topology';
import { describe, expect, it } from 'vitest';
import { cpuLayout } from './cpu-layout.ts';
import { distributeCpus } from './distribute-cpus.ts';
import { machineOf } from './test-support.ts';

/** Distributes CPUs over the nodes of a machine on which the CPUs `busy` are not free. */
function distributed(
  topology: MachineTopology,
  busy: readonly number[],
  count: number,
  groupSize = 1,
): string | undefined {
  const layout = cpuLayout(topology);
  const available = layout.cpus.difference(new Set(busy));
  const choice = { spreadsOverCores: false, alignsToUncoreCaches: false, repeatsFaults: false };
  const cpus = distributeCpus(layout, available, count, groupSize, choice);
  return cpus && formatCpuSet(cpus);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
/** NUMA nodes of one socket with cores of one CPU, or of two. */
const nodesOf = (sizes: readonly number[], threads = 1): MachineTopology => {
  let next = 0;
  const core = () => ({ cpus: Array.from({ length: threads }, () => next++), socket: 0 });
  return machineOf(sizes.map((size) => Array.from({ length: size / threads }, core)));
};
/** Four NUMA nodes of four CPUs. */
const four = nodesOf([4, 4, 4, 4]);
const two = nodesOf([4, 4]);
const few = Array<number>(6).fill(49);
/** Four NUMA nodes of two cores with two CPUs. */
const pairs = nodesOf([4, 4, 4, 4], 2);

describe('distributeCpus', () => {
  it.each<[string, MachineTopology, readonly number[], number, string | undefined]>([
    ['one node where it has enough', four, [], 2, '0-1'],
    ['equal shares of as few nodes as possible', four, [], 6, '0-2,4-6'],
    ['equal shares and the rest of the first node', four, [], 7, '0-6'],
    ['equal shares of all nodes', four, [], 16, '0-15'],
    ['the nodes that leave the others most balanced', four, [0], 7, '4-10'],
    ['the fullest node, if the others stay balanced', four, [0, 4, 8, 12, 13], 2, '1-2'],
    ['all CPUs of two nodes', two, [], 8, '0-7'],
    ['nothing if no nodes can give equal shares', nodesOf([6, 6]), range(0, 3), 7, undefined],
    ['nothing if the shares leave too few for the rest', two, [0, 4], 7, undefined],
    ['a share of more nodes where fewer cannot give equal ones', nodesOf([8, 2, 2, 2]), [], 6, '0-1,8-11'],
    ['the rest of one node in turns, if that balances the nodes', nodesOf([5, 5, 5]), [0, 1, 5, 6], 8, '2-3,7-8,10-13'],
    ['the rest of nodes until they are empty', four, [0, 1, 4, 8, 9, 10, 12, 13, 14], 7, '2-3,5-7,11,15'],
    ['the fullest of many large nodes', nodesOf(Array<number>(8).fill(512)), [0], 1, '512'],
    // The standard deviations of both choices are 200.052 when they are rounded.
    ['the first of nodes whose balances differ by less than a thousandth', nodesOf([512, 512, ...few]), [0], 1, '1'],
  ])('takes %s', (_title, topology, busy, count, cpus) => {
    expect(distributed(topology, busy, count)).toBe(cpus);
  });

  it.each<[string, MachineTopology, readonly number[], number, string | undefined]>([
    ['equal shares in whole cores, and the rest of the first node', pairs, [], 6, '0-5'],
    ['one core of one node', pairs, [], 2, '0-1'],
    ['no half-free cores', pairs, [0, 4], 4, '8-11'],
    ['more nodes where cores are half free', pairs, [0, 4, 8, 12], 4, '2-3,6-7'],
    ['the rest of the node that has more left, one core at a time', nodesOf([8, 10], 2), [4, 8, 10], 10, '0-3,12-17'],
    [
      'the rest of nodes in turns, without those that have no whole core left',
      nodesOf([2, 6, 4, 10, 4], 2),
      [0, 3, 12, 16, 18, 22],
      11,
      '4-9,13-15,17,20-21',
    ],
    ['nothing if fewer nodes than cores have free ones', nodesOf([6, 2, 2, 2], 2), [6, 8, 10], 6, undefined],
  ])('takes %s', (_title, topology, busy, count, cpus) => {
    expect(distributed(topology, busy, count, 2)).toBe(cpus);
  });
});

it('balances the nodes of different sockets as well', () => {
  const topology = createTestTopology({ sockets: 2, nodesPerSocket: 2, threadsOfCores: [1, 1] });
  expect(distributed(topology, [0], 3)).toBe('2-4');
});
