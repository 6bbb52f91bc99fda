import { createTestTopology } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { allocateMemory } from './allocate-memory.ts';
import { startMemoryState } from './memory-state.ts';
import { formatMemoryState, parseMemoryState, restoreMemoryState } from './state-file.ts';
import { createStaticMemoryPolicy } from './static-policy.ts';
import { memoryPod } from './test-support.ts';

const path = '/var/lib/kubelet/memory_manager_state';
const policyWith = (reserved: string) =>
  createStaticMemoryPolicy({
    topology: createTestTopology({ sockets: 2 }),
    reservedMemory: [{ numaNode: 0, limits: { memory: reserved } }],
    nodeAllocatableReservation: { memory: reserved },
  });
const policy = policyWith('1Gi');
const pod = memoryPod('web', [{ name: 'app', memory: { memory: '2Gi' } }]);
const { state: stored } = allocateMemory(policy, startMemoryState(policy), pod, pod.spec!.containers[0]!);
const text = formatMemoryState({ policyName: 'Static', ...stored });

describe('memory_manager_state', () => {
  it('has the content that a kubelet writes without assignments', () => {
    const none = '{"policyName":"None","machineState":{},"checksum":4236770233}';
    expect(formatMemoryState({ policyName: 'None', machine: new Map(), assignments: new Map() })).toBe(none);
    expect(parseMemoryState(none)).toEqual({ policyName: 'None', machine: new Map(), assignments: new Map() });
  });

  it('has the checksum of a kubelet over its assignments', () => {
    const memory = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 };
    const block = { numaAffinity: [0], type: 'memory', size: 512 };
    const content = {
      policyName: 'static',
      machineState: { 0: { numberOfAssignments: 0, memoryMap: { memory }, cells: [] } },
      entries: { pod: { container1: [block] } },
      checksum: 4215593881,
    };
    const parsed = parseMemoryState(JSON.stringify(content));
    expect(formatMemoryState(parsed)).toBe(JSON.stringify(content));
  });

  it('is restored with its assignments', () => {
    const { machine, assignments } = restoreMemoryState(policy, text, path);
    expect({ machine, assignments }).toEqual({ machine: stored.machine, assignments: stored.assignments });
  });

  it.each([
    ['damaged JSON', '{', 'the content is not JSON'],
    ['a wrong checksum', text.replace('"size":2', '"size":3'), 'checkpoint is corrupted'],
    ['a list', '[]', 'the file must be a JSON object'],
    [
      'an amount that is no number',
      text.replace(/"size":\d+/, '"size":"x"'),
      'the memory of container app in pod uid-web must be a whole number',
    ],
    [
      'assignments of another policy',
      formatMemoryState({ policyName: 'None', ...stored }),
      '[memorymanager] configured policy "Static" differs from state checkpoint policy "None"',
    ],
    [
      'assignments without a machine',
      formatMemoryState({ policyName: 'Static', ...stored, machine: new Map() }),
      '[memorymanager] machine state can not be empty when it has memory assignments',
    ],
  ])('stops the agent when it has %s', (_, content, reason) => {
    expect(() => restoreMemoryState(policy, content, path)).toThrow(
      `could not restore state from checkpoint: ${reason}, please drain this node and delete the memory manager checkpoint file "${path}"`,
    );
  });

  it('stops the agent when the reserved memory has changed', () => {
    expect(() => restoreMemoryState(policyWith('2Gi'), text, path)).toThrow(
      '[memorymanager] the expected machine state is different from the real one (NUMA node 0, memory, systemReserved)',
    );
  });

  it('stops the agent when it has memory of nodes that the machine does not have', () => {
    const small = createStaticMemoryPolicy({
      topology: createTestTopology(),
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
      nodeAllocatableReservation: { memory: '1Gi' },
    });
    const affinity = { numaNodes: [1], isPreferred: true };
    const { state } = allocateMemory(policy, startMemoryState(policy), pod, pod.spec!.containers[0]!, affinity);
    expect(() => restoreMemoryState(small, formatMemoryState({ policyName: 'Static', ...state }), path)).toThrow(
      '(pod: uid-web, container: app) the memory assignment uses the NUMA that does not exist',
    );
  });

  it.each([
    ['there is no file', undefined],
    ['the policy was None', '{"policyName":"None","machineState":{},"checksum":4236770233}'],
    [
      'the machine had other memory',
      formatMemoryState({ policyName: 'Static', ...startMemoryState(policyWith('2Gi')) }),
    ],
  ])('starts anew without assignments when %s', (_, content) => {
    expect(restoreMemoryState(policy, content, path)).toEqual(startMemoryState(policy));
  });
});
