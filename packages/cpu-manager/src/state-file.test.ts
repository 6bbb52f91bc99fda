import { formatCpuSet } from '@rxlet/machine/topology';
import { createTestTopology } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { formatCpuState, parseCpuState, restoreCpuState } from './state-file.ts';
import { createStaticCpuPolicy } from './static-policy.ts';

const path = '/var/lib/kubelet/cpu_manager_state';
const policy = createStaticCpuPolicy({ topology: createTestTopology(), reservedCpuCount: 1 });
const stored = {
  policyName: 'static',
  shared: new Set([0, 1]),
  assignments: new Map([['uid-1', new Map([['app', new Set([2, 3])]])]]),
};

describe('cpu_manager_state', () => {
  it('has the content that a kubelet writes without assignments', () => {
    const text = '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}';
    expect(formatCpuState({ policyName: 'none', shared: new Set(), assignments: new Map() })).toBe(text);
    expect(parseCpuState(text)).toEqual({ policyName: 'none', shared: new Set(), assignments: new Map() });
  });

  it('has the checksum of a kubelet over its assignments', () => {
    const pod = new Map([
      ['container2', new Set([1, 2, 3])],
      ['container1', new Set([4, 5, 6])],
    ]);
    const text = formatCpuState({
      policyName: 'none',
      shared: new Set([1, 2, 3]),
      assignments: new Map([['pod', pod]]),
    });
    expect(JSON.parse(text)).toEqual({
      policyName: 'none',
      defaultCpuSet: '1-3',
      entries: { pod: { container1: '4-6', container2: '1-3' } },
      checksum: 3610638499,
    });
  });

  it('gives back what was written', () => {
    expect(parseCpuState(formatCpuState(stored))).toEqual(stored);
  });

  it('is restored with its assignments', () => {
    const state = restoreCpuState(policy, formatCpuState(stored), path);
    expect(state).toEqual({ shared: stored.shared, assignments: stored.assignments });
  });

  it.each([
    ['damaged JSON', '{', 'the content is not JSON'],
    ['a wrong checksum', formatCpuState(stored).replace('2-3', '1-3'), 'checkpoint is corrupted'],
    ['a list', '[]', 'the file must be a JSON object'],
    ['no CPUs', '{"policyName":"static","defaultCpuSet":"1.3"}', 'could not parse default cpu set "1.3"'],
    [
      'assignments that are no CPUs',
      '{"policyName":"static","defaultCpuSet":"0","entries":{"pod":{"app":"asd"}}}',
      'could not parse cpuset "asd" for container "app" in pod "pod"',
    ],
    [
      'assignments of another policy',
      formatCpuState({ ...stored, policyName: 'other' }),
      'configured policy "static" differs from state checkpoint policy "other"',
    ],
    [
      'CPUs that the machine does not have',
      formatCpuState({ ...stored, shared: new Set([0, 1, 7]) }),
      'current set of available CPUs "0-3" doesn\'t match with CPUs in state "0-3,7"',
    ],
    [
      'no reserved CPUs',
      formatCpuState({ ...stored, shared: new Set([1]) }),
      'not all reserved cpus: "0" are present in defaultCpuSet: "1"',
    ],
    [
      'CPUs that are shared and assigned',
      formatCpuState({ ...stored, shared: new Set([0, 1, 2]) }),
      'pod: uid-1, container: app cpuset: "2-3" overlaps with default cpuset "0-2"',
    ],
    ['no shared CPUs', formatCpuState({ ...stored, shared: new Set() }), 'default cpuset cannot be empty'],
  ])('stops the agent when it has %s', (_, text, reason) => {
    expect(() => restoreCpuState(policy, text, path)).toThrow(
      `could not restore state from checkpoint: ${reason}, please drain this node and delete the CPU manager checkpoint file "${path}"`,
    );
  });

  it.each([
    ['there is no file', undefined],
    ['the policy was none', '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'],
    [
      'the machine had other CPUs',
      formatCpuState({ policyName: 'static', shared: new Set([0, 9]), assignments: new Map() }),
    ],
  ])('starts anew without assignments when %s', (_, text) => {
    const { shared, assignments } = restoreCpuState(policy, text, path);
    expect([formatCpuSet(shared), assignments.size]).toEqual(['0-3', 0]);
  });
});
