import type { ResourceHints } from '@rxlet/agent-api/topology';
import { createTestTopology } from '@rxlet/machine/testing';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { allocateCpus } from './allocate-cpus.ts';
import { containerCpuHints, podCpuHints } from './cpu-hints.ts';
import { type CpuState, startCpuState } from './cpu-state.ts';
import { noCpuPolicyOptions } from './policy-options.ts';
import { createStaticCpuPolicy, type StaticCpuPolicySettings } from './static-policy.ts';
import { type CpuContainer, cpuPod } from './test-support.ts';

/** Two NUMA nodes with the CPUs 0-7 and 8-15, of which 0 and 1 are reserved. */
const dualSocket = createTestTopology({ sockets: 2, threadsOfCores: [2, 2, 2, 2] });
const policyOf = (settings: Partial<StaticCpuPolicySettings> = {}) =>
  createStaticCpuPolicy({ topology: dualSocket, reservedCpuCount: 2, ...settings });

/** Shows hints as sets of nodes, the preferred ones with an exclamation mark. */
function shown(hints: ResourceHints | undefined): string | undefined {
  return hints?.['cpu']
    ?.map(({ numaNodes, isPreferred }) => `${numaNodes?.join('+') ?? 'any'}${isPreferred ? '!' : ''}`)
    .join(' ');
}

/** Allocates the first containers of a pod. */
function allocated(pod: Pod, count: number, policy = policyOf()): CpuState {
  return podContainers(pod, ['init', 'regular'])
    .slice(0, count)
    .reduce((state, { container }) => allocateCpus(policy, state, pod, container).state, startCpuState(policy));
}

const solo = (cpu: string): Pod => cpuPod('web', [{ name: 'app', cpu }]);
const hintsFor = (pod: Pod, state = startCpuState(policyOf()), policy = policyOf(), index = 0): string | undefined =>
  shown(containerCpuHints(policy, state, pod, podContainers(pod, ['init', 'regular'])[index]!.container));

describe('containerCpuHints', () => {
  it('returns the sets of nodes with enough free CPUs, and prefers the fewest nodes', () => {
    expect(hintsFor(solo('4'))).toBe('0! 1! 0+1');
    expect(hintsFor(solo('6'))).toBe('0! 1! 0+1');
    expect(hintsFor(solo('8'))).toBe('1! 0+1');
    expect(hintsFor(solo('9'))).toBe('0+1!');
    expect(hintsFor(solo('14'))).toBe('0+1!');
    expect(hintsFor(solo('15'))).toBe('');
  });

  it('prefers as few nodes as an empty machine needs, even if none are free', () => {
    const state = { ...startCpuState(policyOf()), shared: new Set([0, 1, 2, 3, 4, 5, 8, 9, 10, 11]) };
    expect(hintsFor(solo('5'), state)).toBe('0+1');
  });

  it('has no opinion about a container without CPUs of its own', () => {
    expect(hintsFor(solo('500m'))).toBeUndefined();
  });

  it('returns the nodes of the CPUs that a container has', () => {
    expect(hintsFor(solo('4'), allocated(solo('4'), 1))).toBe('0! 0+1');
  });

  it('returns no nodes for a container that has another number of CPUs than it requests', () => {
    expect(hintsFor(solo('2'), allocated(solo('4'), 1))).toBe('');
  });

  it('requires the nodes of the CPUs that the container takes over from init containers', () => {
    const pod = (cpu: string): Pod =>
      cpuPod('web', [
        { name: 'init', cpu: '2', kind: 'init' },
        { name: 'app', cpu },
      ]);
    expect(hintsFor(pod('4'), allocated(pod('4'), 1), policyOf(), 1)).toBe('0! 0+1');
    expect(hintsFor(pod('6'), allocated(pod('6'), 1), policyOf(), 1)).toBe('0! 0+1');
    expect(hintsFor(pod('7'), allocated(pod('7'), 1), policyOf(), 1)).toBe('0+1');
  });

  it('prefers all sets of nodes within as few sockets as are needed, with align-by-socket', () => {
    const topology = createTestTopology({ sockets: 2, nodesPerSocket: 2, threadsOfCores: [1, 1, 1] });
    const settings = { topology, reservedCpuCount: 1 };
    const aligned = policyOf({ ...settings, options: { ...noCpuPolicyOptions, alignBySocket: true } });
    const preferred = (cpu: string, policy: typeof aligned): string[] =>
      hintsFor(solo(cpu), startCpuState(policy), policy)!
        .split(' ')
        .filter((set) => set.endsWith('!'));
    expect(preferred('3', aligned)).toEqual(['1!', '2!', '3!', '0+1!', '2+3!']);
    expect(preferred('3', policyOf(settings))).toEqual(['1!', '2!', '3!']);
    expect(preferred('9', aligned)).toEqual(['1+2+3!', '0+1+2+3!']);
  });
});

describe('podCpuHints', () => {
  const containers: readonly CpuContainer[] = [
    { name: 'init', cpu: '2', kind: 'init' },
    { name: 'a', cpu: '4' },
    { name: 'b', cpu: '4' },
  ];
  const pod = cpuPod('web', containers);
  const of = (state: CpuState, one = pod): string | undefined => shown(podCpuHints(policyOf(), state, one));

  it('returns the sets of nodes with enough free CPUs for all containers', () => {
    expect(of(allocated(pod, 0))).toBe('1! 0+1');
    expect(of(allocated(pod, 0), cpuPod('web', [...containers, { name: 'c', cpu: '1' }]))).toBe('0+1!');
  });

  it('has no opinion about a pod without CPUs of its own', () => {
    expect(of(allocated(pod, 0), solo('500m'))).toBeUndefined();
  });

  it('requires the nodes of the CPUs that containers have already', () => {
    const app = cpuPod('web', [
      { name: 'a', cpu: '2' },
      { name: 'b', cpu: '2' },
    ]);
    expect(of(allocated(app, 1), app)).toBe('0! 0+1');
    expect(of(allocated(app, 2), app)).toBe('0! 0+1');
    expect(of(allocated(pod, 1))).toBe('0+1');
    expect(of(allocated(pod, 3))).toBe('0+1');
  });

  it('returns no nodes for a pod with a container that has another number of CPUs than it requests', () => {
    const smaller = containers.map((container) => (container.name === 'b' ? { ...container, cpu: '3' } : container));
    expect(of(allocated(pod, 3), cpuPod('web', smaller))).toBe('');
  });
});
