import { createTestTopology } from '@rxlet/machine/testing';
import { formatCpuSet, type MachineTopology } from '@rxlet/machine/topology';
import { describe, expect, it } from 'vitest';
import { cpuLayout } from './cpu-layout.ts';
import { type CpuChoice, CpuPool } from './cpu-pool.ts';
import { machineOf, type TestCore } from './test-support.ts';

const plain: CpuChoice = { spreadsOverCores: false, alignsToUncoreCaches: false, repeatsFaults: false };

function poolOf(
  topology: MachineTopology,
  busy: readonly number[],
  needed = 0,
  choice: Partial<CpuChoice> = {},
): CpuPool {
  const layout = cpuLayout(topology);
  return new CpuPool(layout, layout.cpus.difference(new Set(busy)), needed, { ...plain, ...choice });
}

/** Takes CPUs of a machine on which the CPUs `busy` are not free. */
function taken(
  topology: MachineTopology,
  busy: readonly number[],
  needed: number,
  choice?: Partial<CpuChoice>,
): string {
  const pool = poolOf(topology, busy, needed, choice);
  pool.takePacked();
  return formatCpuSet(pool.taken);
}

/** Cores of a part: the CPUs of each, and their socket. */
const cores = (socket: number, ...cpus: readonly (readonly number[])[]): TestCore[] =>
  cpus.map((core) => ({ cpus: core, socket }));

/** Two sockets of two NUMA nodes with four CPUs each. */
const nodesInSockets = createTestTopology({ sockets: 2, nodesPerSocket: 2, threadsOfCores: [2, 2] });
/** Two NUMA nodes of two sockets with four CPUs each. */
const socketsInNodes = machineOf(
  [0, 1].map((node) =>
    [0, 1].flatMap((half) => {
      const first = 8 * node + 4 * half;
      return cores(2 * node + half, [first, first + 1], [first + 2, first + 3]);
    }),
  ),
);

describe('the order of parts', () => {
  it('is that of the NUMA nodes on a machine with as many sockets', () => {
    const crossed = machineOf([cores(1, [0], [1]), cores(0, [2], [3])]);
    expect(poolOf(crossed, []).ordered('core')).toEqual([0, 1, 2, 3]);
  });

  it('is that of the caches in a NUMA node, whichever of its sockets they belong to', () => {
    const caches = [
      [0, 0, [0, 1, 2, 3]],
      [0, 1, [4]],
      [1, 2, [5, 6]],
      [1, 3, [7, 8]],
    ] as const;
    const one = machineOf([
      caches.flatMap(([socket, uncoreCache, cpus]) => cpus.map((cpu) => ({ cpus: [cpu], socket, uncoreCache }))),
    ]);
    expect(poolOf(one, []).ordered('uncoreCache')).toEqual([1, 2, 3, 0]);
  });

  it('is by the fewest free CPUs, within the larger part that they belong to', () => {
    const pool = poolOf(nodesInSockets, [4, 5, 8, 15]);
    expect(pool.ordered('socket')).toEqual([0, 1]);
    expect(pool.ordered('numaNode')).toEqual([1, 0, 2, 3]);
    expect(pool.ordered('core')).toEqual([6, 0, 2, 8, 10, 14, 12]);
  });

  it('is by sockets within NUMA nodes where those contain them', () => {
    const pool = poolOf(socketsInNodes, [4, 5, 8, 15]);
    expect(pool.ordered('numaNode')).toEqual([0, 1]);
    expect(pool.ordered('socket')).toEqual([1, 0, 2, 3]);
    expect(pool.ordered('core')).toEqual([6, 0, 2, 8, 10, 14, 12]);
  });

  it('is by caches within NUMA nodes', () => {
    const topology = createTestTopology({ nodesPerSocket: 2, threadsOfCores: [1, 1, 1, 1], coresPerCache: 2 });
    const pool = poolOf(topology, [0, 1, 2, 4]);
    const caches = [2, 4, 6].map((cpu) => cpuLayout(topology).places.get(cpu + 1)!.uncoreCache);
    expect(pool.ordered('uncoreCache')).toEqual(caches);
  });
});

describe('takePacked', () => {
  it.each<[string, MachineTopology, readonly number[], number, string]>([
    ['a whole socket', nodesInSockets, [0], 8, '8-15'],
    ['a whole NUMA node of the fullest socket', nodesInSockets, [0], 4, '4-7'],
    ['a whole NUMA node that contains sockets', socketsInNodes, [0], 8, '8-15'],
    ['a whole socket of the fullest NUMA node', socketsInNodes, [0], 4, '4-7'],
    ['whole cores of the fullest part', nodesInSockets, [0], 2, '2-3'],
    ['whole cores, then a single CPU', nodesInSockets, [0], 3, '1-3'],
    ['nothing', nodesInSockets, [], 0, ''],
    ['all that are free, if they are too few', nodesInSockets, [0], 99, '1-15'],
  ])('takes %s', (_title, topology, busy, needed, cpus) => {
    expect(taken(topology, busy, needed)).toBe(cpus);
  });

  it('counts what is needed, free and taken', () => {
    const pool = poolOf(nodesInSockets, [0], 5);
    pool.take(new Set([1, 2]));
    expect([pool.needed, formatCpuSet(pool.taken), formatCpuSet(pool.free)]).toEqual([3, '1-2', '3-15']);
  });

  it('takes NUMA nodes of any size whole, but sockets and cores only of the average size', () => {
    const single = [[0], [1], [2], [3]];
    const unevenNodes = machineOf([cores(0, ...single), cores(0, [4], [5])]);
    expect(taken(unevenNodes, [5], 4)).toBe('0-3');
    const unevenSockets = machineOf([[...cores(0, ...single), ...cores(1, [4], [5])]]);
    expect(taken(unevenSockets, [5], 4)).toBe('0-2,4');
    const unevenCores = createTestTopology({ threadsOfCores: [2, 2, 1, 1, 1] });
    expect(taken(unevenCores, [], 2)).toBe('4-5');
  });

  it('takes busy CPUs of a core of more than the average size only when a kubelet’s faults are repeated', () => {
    const unevenCores = createTestTopology({ threadsOfCores: [2, 2, 1, 1, 1] });
    expect(taken(unevenCores, [0], 3)).toBe('4-6');
    expect(taken(unevenCores, [0], 3, { repeatsFaults: true })).toBe('0-1,4');
  });

  it('takes threads of different cores of a socket first when it spreads them', () => {
    const topology = machineOf([cores(0, [0, 3], [1, 4], [2, 5])]);
    expect(taken(topology, [], 4)).toBe('0-1,3-4');
    expect(taken(topology, [], 4, { spreadsOverCores: true })).toBe('0-3');
  });
});

describe('alignment to caches', () => {
  /** Caches of four CPUs: 0-3, 4-7, 8-11 and 12-15. */
  const quarters = createTestTopology({ threadsOfCores: Array<number>(8).fill(2), coresPerCache: 2 });
  /** Caches of eight CPUs: 0-7 and 8-15. */
  const halves = createTestTopology({ threadsOfCores: Array<number>(8).fill(2), coresPerCache: 4 });
  /** Caches of four, four and two CPUs. */
  const uneven = createTestTopology({ threadsOfCores: Array<number>(5).fill(2), coresPerCache: 2 });

  it.each<[string, MachineTopology, readonly number[], number, string]>([
    ['a whole cache', quarters, [0], 4, '4-7'],
    ['the rest of the fullest cache', quarters, [0, 1], 2, '2-3'],
    ['a whole cache and the rest of the fullest', quarters, [0, 1], 6, '2-7'],
    ['the first cache with enough CPUs, without the last thread of an odd number', quarters, [0, 1], 3, '4-6'],
    ['a free thread of the first core', quarters, [0], 1, '1'],
    ['one thread of a free core', quarters, [], 1, '0'],
    ['a whole cache and a thread of the next', quarters, [], 5, '0-4'],
    ['all caches', quarters, [], 16, '0-15'],
    ['as many cores as are needed', halves, [0], 4, '8-11'],
    ['the rest of a cache before a smaller one that is free', uneven, [2, 3], 2, '0-1'],
    ['a whole small cache for an average number', uneven, [], 3, '0,8-9'],
    ['no CPUs', quarters, [], 0, ''],
  ])('takes %s', (_title, topology, busy, needed, cpus) => {
    expect(taken(topology, busy, needed, { alignsToUncoreCaches: true })).toBe(cpus);
  });

  it('leaves out a thread only where cores have two of them on average, and of an odd number', () => {
    const align = { alignsToUncoreCaches: true };
    expect(taken(createTestTopology({ threadsOfCores: [2, 1, 1, 1] }), [], 3, align)).toBe('2-4');
    const threes = createTestTopology({ threadsOfCores: [3, 3, 3, 3], coresPerCache: 2 });
    expect(taken(threes, [4, 5], 2, align)).toBe('0,3');
  });
});
