import { createTestTopology } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { cpuLayout, cpusOf, groupCpus, idsOf } from './cpu-layout.ts';
import { machineOf } from './test-support.ts';

/** Two sockets of two caches; the second threads of cores are numbered last. */
const layout = cpuLayout(
  machineOf(
    [0, 1].map((socket) =>
      [2 * socket, 2 * socket + 1].map((core) => ({ cpus: [core, core + 4], socket, uncoreCache: core })),
    ),
  ),
);

describe('cpuLayout', () => {
  it('places each CPU, with the lowest CPU of a core as the id of the core', () => {
    expect(layout.places.get(7)).toEqual({ core: 3, uncoreCache: 3, socket: 1, numaNode: 1 });
    expect([...layout.groups.core.keys()].toSorted()).toEqual([0, 1, 2, 3]);
    expect(layout.groups.uncoreCache.get(2)).toEqual(new Set([2, 6]));
    expect(layout.groups.socket.get(1)).toEqual(new Set([2, 3, 6, 7]));
    expect(layout.groups.numaNode.get(0)).toEqual(new Set([0, 1, 4, 5]));
  });

  it('rounds average sizes down', () => {
    expect(layout.averageCpus).toEqual({ core: 2, uncoreCache: 2, socket: 4, numaNode: 4 });
    const uneven = cpuLayout(createTestTopology({ threadsOfCores: [2, 2, 1] }));
    expect(uneven.averageCpus).toEqual({ core: 1, uncoreCache: 5, socket: 5, numaNode: 5 });
  });

  it('regards a socket as one cache where caches are unknown', () => {
    expect(cpuLayout(machineOf([[{ cpus: [0], socket: 7 }]])).places.get(0)).toMatchObject({
      uncoreCache: 7,
      socket: 7,
    });
  });
});

it('leaves out CPUs and parts that the machine does not have', () => {
  expect(groupCpus(layout.places, [0, 4, 99], 'core')).toEqual(new Map([[0, new Set([0, 4])]]));
  expect(idsOf(layout, [3, 99], 'socket')).toEqual(new Set([1]));
  expect(cpusOf(layout, 'core', [1, 99])).toEqual(new Set([1, 5]));
});
