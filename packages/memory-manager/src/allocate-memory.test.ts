import type { Pod } from '@rxlet/kube-api';
import { createTestTopology } from '@rxlet/machine/testing';
import type { NumaHint } from '@rxlet/agent-api/topology';
import { podContainers } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { allocateMemory } from './allocate-memory.ts';
import { containerMemoryHints, podMemoryHints } from './memory-hints.ts';
import { type MemoryState, releaseEndedInitContainers, retainMemory, startMemoryState } from './memory-state.ts';
import { createStaticMemoryPolicy, type StaticMemoryPolicySettings } from './static-policy.ts';
import { Gi, memoryPod } from './test-support.ts';

const regular = createTestTopology({ sockets: 2 });
const topology = {
  numaNodes: regular.numaNodes.map((node) => ({ ...node, hugePages: [{ sizeBytes: 2 ** 21, count: 512 }] })),
};
const settings: StaticMemoryPolicySettings = {
  topology,
  reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
  nodeAllocatableReservation: { memory: '1Gi', 'ephemeral-storage': '1Gi' },
};

/** A machine with 6 GiB on node 0, 7 GiB on node 1, and 1 GiB of huge pages on each. */
function node() {
  const policy = createStaticMemoryPolicy(settings);
  let state: MemoryState = startMemoryState(policy);
  return {
    get state() {
      return state;
    },
    /** Free memory of the nodes in GiB. */
    free(type = 'memory') {
      return [...state.machine.values()].map(({ tables }) => (tables[type]?.free ?? 0) / Gi);
    },
    /** Allocates all containers of a pod; returns their memory, or why the pod is rejected. */
    admit(pod: Pod, affinity?: NumaHint): string {
      const answers = podContainers(pod, ['init', 'regular']).map(({ container }) => {
        const { failure, blocks = [], state: next } = allocateMemory(policy, state, pod, container, affinity);
        state = next;
        const texts = blocks.map(
          ({ type, sizeBytes, numaNodes }) => `${type} ${String(sizeBytes / Gi)} on ${numaNodes.join()}`,
        );
        return `${container.name}: ${failure?.message ?? texts.join(', ')}`;
      });
      return answers.join('; ');
    },
    change(next: (state: MemoryState) => MemoryState) {
      state = next(state);
    },
  };
}
const app = (memory: string, pages?: string) => [
  { name: 'app', memory: { memory, ...(pages !== undefined && { 'hugepages-2Mi': pages }) } },
];

describe('allocateMemory', () => {
  it('gives memory and huge pages of one node, the lowest with enough of both', () => {
    const machine = node();
    expect(machine.admit(memoryPod('a', app('2Gi', '1Gi')))).toBe('app: hugepages-2Mi 1 on 0, memory 2 on 0');
    expect(machine.admit(memoryPod('b', app('1Gi', '1Gi')))).toBe('app: hugepages-2Mi 1 on 1, memory 1 on 1');
    expect([machine.free(), machine.free('hugepages-2Mi')]).toEqual([
      [4, 6],
      [0, 0],
    ]);
  });

  it('gives memory of several nodes, and then none of these nodes alone', () => {
    const machine = node();
    expect(machine.admit(memoryPod('a', app('10Gi')))).toBe('app: memory 10 on 0,1');
    expect(machine.free()).toEqual([0, 3]);
    expect(machine.admit(memoryPod('b', app('1Gi')))).toBe('app: memory 1 on 0,1');
    machine.change((state) => retainMemory(state, []));
    expect([...machine.state.machine.values()].map(({ group }) => group)).toEqual([[0], [1]]);
    expect(machine.free()).toEqual([6, 7]);
  });

  it('uses the affinity, and more nodes where it has too little', () => {
    expect(node().admit(memoryPod('a', app('2Gi')), { numaNodes: [1], isPreferred: true })).toBe('app: memory 2 on 1');
    expect(node().admit(memoryPod('a', app('9Gi')), { numaNodes: [1], isPreferred: true })).toBe(
      'app: memory 9 on 0,1',
    );
  });

  it('uses the whole group of a node in the affinity', () => {
    const machine = node();
    machine.admit(memoryPod('a', app('10Gi')));
    const affinity = { numaNodes: [1], isPreferred: false };
    expect(machine.admit(memoryPod('b', app('1Gi')), affinity)).toBe('app: memory 1 on 0,1');
  });

  it.each<[string, string, NumaHint | undefined]>([
    ['failed to get the default NUMA affinity, no NUMA nodes with enough memory is available', '20Gi', undefined],
    ['failed to find NUMA nodes to extend the current topology hint', '20Gi', { numaNodes: [0], isPreferred: true }],
    ['failed to represent quantity as int64', '1500m', undefined],
  ])('fails with "%s"', (message, memory, affinity) => {
    expect(node().admit(memoryPod('a', app(memory)), affinity)).toBe(`app: [memorymanager] ${message}`);
  });

  it('fails when the affinity breaks up a group of nodes', () => {
    const machine = node();
    machine.admit(memoryPod('a', app('1Gi')));
    expect(machine.admit(memoryPod('b', app('1Gi')), { numaNodes: [0, 1], isPreferred: true })).toBe(
      'app: [memorymanager] preferred hint violates NUMA node allocation',
    );
  });

  it('lets later containers take over the memory of init containers, but not that of sidecars', () => {
    const pod = memoryPod('a', [
      { name: 'init', memory: { memory: '3Gi' }, kind: 'init' },
      { name: 'sidecar', memory: { memory: '1Gi' }, kind: 'sidecar' },
      { name: 'app', memory: { memory: '1Gi' } },
    ]);
    const machine = node();
    expect(machine.admit(pod)).toBe('init: memory 3 on 0; sidecar: memory 1 on 0; app: memory 1 on 0');
    expect(machine.free()).toEqual([3, 7]);
    machine.change((state) => releaseEndedInitContainers(state, pod, pod.spec!.containers[0]!));
    expect(machine.free()).toEqual([4, 7]);
    expect(machine.admit(pod)).toBe('init: ; sidecar: memory 1 on 0; app: memory 1 on 0');
  });

  it('keeps the memory of a container that has it', () => {
    const machine = node();
    const pod = memoryPod('a', app('6Gi'));
    expect([machine.admit(pod), machine.admit(pod)]).toEqual(['app: memory 6 on 0', 'app: memory 6 on 0']);
    expect(machine.free()).toEqual([0, 7]);
  });
});

describe('hints of memory', () => {
  it('prefer as few nodes as an empty machine needs', () => {
    const machine = node();
    const pod = memoryPod('a', app('2Gi'));
    const one = (id: number) => ({ numaNodes: [id], isPreferred: true });
    const memory = [one(0), one(1), { numaNodes: [0, 1], isPreferred: false }];
    expect(containerMemoryHints(machine.state, pod, pod.spec!.containers[0]!)).toEqual({ memory });
    expect(podMemoryHints(machine.state, pod)).toEqual({ memory });
    machine.admit(pod);
    expect(podMemoryHints(machine.state, pod)).toEqual({ memory: [one(0)] });
  });
});

describe('createStaticMemoryPolicy', () => {
  it.each<[string, Partial<StaticMemoryPolicySettings>, string]>([
    [
      'another amount than the node reserves',
      { nodeAllocatableReservation: { memory: '2Gi' } },
      'the total amount "1Gi" of type "memory" is not equal to the value "2Gi" determined by Node Allocatable feature',
    ],
    [
      'a node that does not exist',
      { reservedMemory: [{ numaNode: 7, limits: { memory: '1Gi' } }] },
      'the reserved memory configuration references a NUMA node 7 that does not exist on this machine',
    ],
    [
      'no memory',
      { reservedMemory: [], nodeAllocatableReservation: {} },
      '[memorymanager] you should specify the system reserved memory',
    ],
    [
      'more than a node has',
      { reservedMemory: [{ numaNode: 0, limits: { memory: '8Gi' } }], nodeAllocatableReservation: { memory: '8Gi' } },
      'reservedMemory: NUMA node 0 has 7516192768 bytes of memory, less than the reserved 8589934592',
    ],
  ])('rejects reserved memory of %s', (_, changed, message) => {
    expect(() => createStaticMemoryPolicy({ ...settings, ...changed })).toThrow(message);
  });
});
