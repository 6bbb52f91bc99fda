import type { Pod } from '@rxlet/kube-api';
import { createTestTopology } from '@rxlet/machine/testing';
import type { NumaHint } from '@rxlet/agent-api/topology';
import { podContainers, podUid } from '@rxlet/pod-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateMemory } from './allocate-memory.ts';
import {
  type MemoryState,
  releaseEndedInitContainers,
  removeContainerMemory,
  retainMemory,
  startMemoryState,
} from './memory-state.ts';
import { formatMemoryState, restoreMemoryState } from './state-file.ts';
import { createStaticMemoryPolicy, type StaticMemoryPolicy } from './static-policy.ts';
import { memoryPod } from './test-support.ts';

const pods = fc.array(
  fc.array(
    fc.record({
      memory: fc.constantFrom('1Gi', '2Gi', '3Gi', '5Gi', '9Gi'),
      pages: fc.constantFrom(undefined, '2Mi', '512Mi', '1Gi'),
      kind: fc.constantFrom('init', 'sidecar', 'regular' as const),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 5 },
);
const operations = fc.array(
  fc.record({
    kind: fc.constantFrom('admit', 'admit', 'admit', 'killed', 'started', 'remove', 'retain', 'restart'),
    pod: fc.nat(),
    container: fc.nat(),
    numaNodes: fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  }),
  { maxLength: 25 },
);

type Operation = typeof operations extends fc.Arbitrary<(infer T)[]> ? T : never;

function play(policy: StaticMemoryPolicy, state: MemoryState, all: readonly Pod[], operation: Operation): MemoryState {
  const pod = all[operation.pod % all.length]!;
  const containers = podContainers(pod, ['init', 'regular']).map(({ container }) => container);
  const container = containers[operation.container % containers.length]!;
  const numaNodes = operation.numaNodes?.filter((node) => state.machine.has(node));
  const affinity: NumaHint = { numaNodes: numaNodes?.length ? numaNodes : undefined, isPreferred: false };
  const admit = (some: typeof containers): MemoryState =>
    some.reduce((before, one) => allocateMemory(policy, before, pod, one, affinity).state, state);
  const restart = (before: MemoryState): MemoryState =>
    restoreMemoryState(policy, formatMemoryState({ policyName: 'Static', ...before }), '/state');
  switch (operation.kind) {
    case 'admit':
      return admit(containers);
    case 'killed':
      return restart(admit(containers.slice(0, operation.container % containers.length)));
    case 'started':
      return releaseEndedInitContainers(state, pod, container);
    case 'remove':
      return removeContainerMemory(state, podUid(pod), container.name);
    case 'retain':
      return retainMemory(
        state,
        all.filter((other) => other !== pod),
      );
    default:
      return restart(state);
  }
}

function checkState(state: MemoryState): void {
  const blocks = [...state.assignments.values()].flatMap((containers) => [...containers.values()].flat());
  for (const type of ['memory', 'hugepages-2Mi']) {
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, bytes) => total + bytes, 0);
    const tables = [...state.machine.values()].map(({ tables }) => tables[type]!);
    const held = blocks.filter((block) => block.type === type).map(({ sizeBytes }) => sizeBytes);
    expect(sum(held)).toBe(sum(tables.map(({ reserved }) => reserved)));
    for (const { free, reserved, allocatable } of tables) {
      expect(free + reserved).toBe(allocatable);
      expect(Math.min(free, reserved)).toBeGreaterThanOrEqual(0);
    }
  }
}

describe('memory of containers', () => {
  it('belongs to one container at a time, and none is lost, over admissions, removals and restarts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), pods, operations, (nodes, specs, sequence) => {
        const regular = createTestTopology({ sockets: nodes });
        const hugePages = [{ sizeBytes: 2 ** 21, count: 512 }];
        const policy = createStaticMemoryPolicy({
          topology: { numaNodes: regular.numaNodes.map((node) => ({ ...node, hugePages })) },
          reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
          nodeAllocatableReservation: { memory: '1Gi' },
        });
        const all = specs.map((containers, index) =>
          memoryPod(
            `pod${String(index)}`,
            containers.map(({ memory, pages, kind }, position) => ({
              name: `c${String(position)}`,
              kind,
              memory: { memory, ...(pages !== undefined && { 'hugepages-2Mi': pages }) },
            })),
          ),
        );
        let state = startMemoryState(policy);
        for (const operation of sequence) {
          state = play(policy, state, all, operation);
          checkState(state);
        }
      }),
      { numRuns: 300 },
    );
  });
});
