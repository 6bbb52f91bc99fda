import { makeQuantity, type QuantityFormat } from '@rxlet/pod-model/quantity';
import { describe, expect, it } from 'vitest';
import type { NodeSummary } from './node-summary.ts';
import { observe } from './observations.ts';

type Node = NodeSummary['node'];
const observed = (node: Node) => Object.fromEntries(observe({ node, pods: [] }));
const entry = (available: number, capacity: number, time: number, format: QuantityFormat) => ({
  available: makeQuantity(available, 0, format),
  capacity: makeQuantity(capacity, 0, format),
  time,
});
const space = { availableBytes: 1024, capacityBytes: 4096 };
const inodes = { inodesFree: 1024, inodes: 2048 };

describe('observe', () => {
  it('derives each signal from its statistics', () => {
    expect(
      observed({
        memory: { time: 1, availableBytes: 1024, workingSetBytes: 3072 },
        systemContainers: [
          { name: 'kubelet', memory: { time: 9, availableBytes: 9, workingSetBytes: 9 } },
          { name: 'pods', memory: { time: 2, availableBytes: 2048, workingSetBytes: 2048 } },
        ],
        fs: { time: 3, ...space, ...inodes },
        runtime: {
          imageFs: { time: 4, ...space, ...inodes, availableBytes: 0, inodesFree: 0 },
          containerFs: { time: 5, ...space, ...inodes },
        },
        rlimit: { time: 6, maxpid: 2048, curproc: 1024 },
      }),
    ).toEqual({
      'memory.available': entry(1024, 4096, 1, 'binarySI'),
      'allocatableMemory.available': entry(2048, 4096, 2, 'binarySI'),
      'nodefs.available': entry(1024, 4096, 3, 'binarySI'),
      'nodefs.inodesFree': entry(1024, 2048, 3, 'decimalSI'),
      'imagefs.available': entry(0, 4096, 4, 'binarySI'),
      'imagefs.inodesFree': entry(0, 2048, 4, 'decimalSI'),
      'containerfs.available': entry(1024, 4096, 5, 'binarySI'),
      'containerfs.inodesFree': entry(1024, 2048, 5, 'decimalSI'),
      'pid.available': entry(1024, 2048, 6, 'decimalSI'),
    });
  });

  it.each<[string, Node]>([
    ['nothing', {}],
    ['memory without one of its parts', { memory: { availableBytes: 1 } }],
    ['memory without the other part', { memory: { workingSetBytes: 1 } }],
    [
      'no cgroup of all pods',
      { systemContainers: [{ name: 'runtime', memory: { availableBytes: 1, workingSetBytes: 1 } }] },
    ],
    ['space without a capacity', { fs: { availableBytes: 1, inodesFree: 1 } }],
    ['a capacity without space', { fs: { capacityBytes: 1, inodes: 1 } }],
    ['processes without a limit', { rlimit: { time: 1, curproc: 1 } }],
    ['a limit of processes that are unknown', { rlimit: { time: 1, maxpid: 1 } }],
  ] as [string, Node][])('has no signal for %s', (_title, node) => {
    expect(observed(node)).toStrictEqual({});
  });
});
