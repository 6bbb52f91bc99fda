import type { NumaHint } from '@rxlet/agent-api/topology';
import { formatCpuSet } from '@rxlet/machine/topology';
import { createTestTopology } from '@rxlet/machine/testing';
import type { Pod } from '@rxlet/kube-api';
import { podContainers, podUid } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { allocateCpus } from './allocate-cpus.ts';
import { containerCpus, type CpuState, removeContainerCpus, retainCpus, startCpuState } from './cpu-state.ts';
import { noCpuPolicyOptions } from './policy-options.ts';
import { createStaticCpuPolicy, type StaticCpuPolicySettings } from './static-policy.ts';
import { cpuPod } from './test-support.ts';

/** Two sockets with a NUMA node of four cores each; every core has two threads: CPUs 0-7 and 8-15. */
const dualSocket = createTestTopology({ sockets: 2, threadsOfCores: [2, 2, 2, 2] });

function node(settings: Partial<StaticCpuPolicySettings> = {}) {
  const policy = createStaticCpuPolicy({ topology: dualSocket, reservedCpuCount: 2, ...settings });
  let state: CpuState = startCpuState(policy);
  return {
    policy,
    get shared() {
      return formatCpuSet(state.shared);
    },
    /** Allocates all containers of a pod; returns their CPUs, or why the pod is rejected. */
    admit(pod: Pod, affinity?: NumaHint): string {
      const answers = podContainers(pod, ['init', 'regular']).map(({ container }) => {
        const { failure, state: next } = allocateCpus(policy, state, pod, container, affinity);
        state = next;
        return (
          failure?.message ?? `${container.name} ${formatCpuSet(containerCpus(state, podUid(pod), container.name))}`
        );
      });
      return answers.join('; ');
    },
    remove(pod: Pod, container: string) {
      state = removeContainerCpus(state, podUid(pod), container);
    },
    retain(pods: readonly Pod[]) {
      state = retainCpus(state, pods);
    },
  };
}

describe('allocateCpus', () => {
  it('gives whole cores of one socket, and keeps the reserved CPUs shared', () => {
    const machine = node();
    expect(formatCpuSet(machine.policy.reserved)).toBe('0-1');
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '4' }]))).toBe('app 2-5');
    expect(machine.shared).toBe('0-1,6-15');
  });

  it('gives a whole socket where it is free', () => {
    expect(node().admit(cpuPod('a', [{ name: 'app', cpu: '8' }]))).toBe('app 8-15');
  });

  it('prefers the NUMA nodes of the affinity', () => {
    const affinity = { numaNodes: [1], isPreferred: true };
    expect(node().admit(cpuPod('a', [{ name: 'app', cpu: '10' }]), affinity)).toBe('app 2-3,8-15');
  });

  it('leaves containers with a fraction of a CPU, and of other pods, on the shared CPUs', () => {
    const machine = node();
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '1500m' }]))).toBe('app 0-15');
    const burstable = cpuPod('b', [{ name: 'app', cpu: '2', isBurstable: true }]);
    expect(machine.admit(burstable)).toBe('app 0-15');
  });

  it('lets later containers take over the CPUs of init containers, but not those of sidecars', () => {
    const pod = cpuPod('a', [
      { name: 'init', cpu: '2', kind: 'init' },
      { name: 'sidecar', cpu: '1', kind: 'sidecar' },
      { name: 'second', cpu: '4', kind: 'init' },
      { name: 'app', cpu: '2' },
    ]);
    const machine = node();
    expect(machine.admit(pod)).toBe('init 2-3; sidecar 2; second 4-7; app 4-5');
  });

  it('lets later containers take over the CPUs of several init containers', () => {
    const pod = cpuPod('a', [
      { name: 'init', cpu: '2', kind: 'init' },
      { name: 'second', cpu: '1', kind: 'init' },
      { name: 'app', cpu: '2' },
    ]);
    expect(node().admit(pod)).toBe('init 2-3; second 2; app 2-3');
  });

  it('takes over no CPUs that a container which lasts has taken over already', () => {
    const { policy } = node();
    const pod = cpuPod('a', [
      { name: 'init', cpu: '2', kind: 'init' },
      { name: 'app', cpu: '1' },
      { name: 'other', cpu: '1' },
    ]);
    const reusable = { podUid: podUid(pod), cpus: new Set([2, 3]) };
    const shared = new Set([0, 1]);
    const held = new Map([
      ['init', new Set([2, 3])],
      ['other', new Set([2])],
    ]);
    const allocate = (assignments: CpuState['assignments']) =>
      allocateCpus(policy, { shared, assignments, reusable }, pod, pod.spec!.containers[0]!).cpus;
    expect(allocate(new Map([[podUid(pod), held]]))).toEqual(new Set([3]));
    expect(allocate(new Map())).toEqual(new Set([2]));
  });

  it('allocates to a pod without init containers', () => {
    const { spec, ...pod } = cpuPod('a', [{ name: 'app', cpu: '2' }]);
    const { initContainers: _, ...others } = spec!;
    expect(node().admit({ ...pod, spec: others })).toBe('app 2-3');
  });

  it('returns the CPUs of a removed container that no other container of the pod has', () => {
    const pod = cpuPod('a', [
      { name: 'init', cpu: '4', kind: 'init' },
      { name: 'app', cpu: '2' },
    ]);
    const machine = node();
    expect(machine.admit(pod)).toBe('init 2-5; app 2-3');
    machine.remove(pod, 'init');
    expect(machine.shared).toBe('0-1,4-15');
    machine.retain([]);
    expect(machine.shared).toBe('0-15');
  });

  it('rejects a container when too few CPUs are left', () => {
    expect(node().admit(cpuPod('a', [{ name: 'app', cpu: '15' }]))).toBe(
      'not enough cpus available to satisfy request: requested=15, available=14',
    );
  });

  it('throws an error that is not about the number of CPUs', () => {
    const { policy } = node();
    const pod = cpuPod('a', [{ name: 'app', cpu: '2' }]);
    const broken = { ...policy, layout: undefined as never };
    expect(() => allocateCpus(broken, startCpuState(policy), pod, pod.spec!.containers[0]!)).toThrow(TypeError);
  });

  it('rejects parts of cores with full-pcpus-only by the reason of the kubelet', () => {
    const { policy } = node({ options: { ...noCpuPolicyOptions, fullPhysicalCpusOnly: true } });
    const pod = cpuPod('a', [{ name: 'app', cpu: '3' }]);
    expect(allocateCpus(policy, startCpuState(policy), pod, pod.spec!.containers[0]!).failure).toMatchObject({
      reason: 'SMTAlignmentError',
    });
  });

  it('gives only whole cores with full-pcpus-only, also where the other thread of a core is reserved', () => {
    const options = { ...noCpuPolicyOptions, fullPhysicalCpusOnly: true };
    const machine = node({ options, reservedCpuCount: 1, reservedCpus: new Set([0]) });
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '3' }]))).toBe(
      'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
    );
    expect(machine.admit(cpuPod('b', [{ name: 'app', cpu: '14' }]))).toBe('app 2-15');
    const amounts = 'available physical CPUs = 0, requested CPUs = 2, CPUs per core = 2';
    expect(machine.admit(cpuPod('c', [{ name: 'app', cpu: '2' }]))).toBe(
      `SMT Alignment Error: not enough free physical CPUs: ${amounts}`,
    );
  });

  it('keeps the cores of a container that has them when it is admitted again', () => {
    const machine = node({ options: { ...noCpuPolicyOptions, fullPhysicalCpusOnly: true } });
    const pod = cpuPod('a', [{ name: 'app', cpu: '14' }]);
    expect([machine.admit(pod), machine.admit(pod)]).toEqual(['app 2-15', 'app 2-15']);
  });

  it('gives equal parts of the NUMA nodes with distribute-cpus-across-numa', () => {
    const machine = node({ options: { ...noCpuPolicyOptions, distributeAcrossNuma: true } });
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '10' }]))).toBe('app 2-6,8-12');
  });

  it('gives threads of different cores with distribute-cpus-across-cores', () => {
    const topology = createTestTopology({ threadsOfCores: [2, 2, 2, 2] });
    const spread = { ...noCpuPolicyOptions, distributeAcrossCores: true };
    // The policy takes CPUs in numerical order, which is by core on machines that number the second threads last.
    const renumbered = {
      numaNodes: topology.numaNodes.map((numaNode) => ({
        ...numaNode,
        cores: numaNode.cores.map((core, index) => ({ ...core, cpus: [index, index + 4] })),
      })),
    };
    const machine = node({ topology: renumbered, options: spread, reservedCpuCount: 1 });
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '3' }]))).toBe('app 1-3');
  });

  it('gives CPUs that share a cache with prefer-align-cpus-by-uncorecache', () => {
    const topology = createTestTopology({ threadsOfCores: Array(8).fill(2), coresPerCache: 2 });
    const aligned = node({ topology, options: { ...noCpuPolicyOptions, preferUncoreCacheAlignment: true } });
    expect(aligned.admit(cpuPod('a', [{ name: 'app', cpu: '4' }]))).toBe('app 4-7');
    expect(node({ topology }).admit(cpuPod('a', [{ name: 'app', cpu: '4' }]))).toBe('app 2-5');
  });

  it('expands the affinity to sockets with align-by-socket', () => {
    const topology = createTestTopology({ sockets: 2, nodesPerSocket: 2, threadsOfCores: [1, 1] });
    const affinity = { numaNodes: [2], isPreferred: true };
    const app = [{ name: 'app', cpu: '4' }];
    const aligned = node({ topology, options: { ...noCpuPolicyOptions, alignBySocket: true } });
    expect(aligned.admit(cpuPod('a', app), affinity)).toBe('app 4-7');
    expect(node({ topology }).admit(cpuPod('a', app), affinity)).toBe('app 2-5');
    const three = cpuPod('b', [{ name: 'app', cpu: '3' }]);
    expect(aligned.admit(three, affinity)).not.toBe('app 4-6');
    const fresh = node({ topology, options: { ...noCpuPolicyOptions, alignBySocket: true } });
    expect(fresh.admit(three, affinity)).toBe('app 4-6');
    expect(node({ topology }).admit(three)).toBe('app 2-4');
  });

  it('takes the reserved CPUs from the shared ones with strict-cpu-reservation', () => {
    const machine = node({ options: { ...noCpuPolicyOptions, strictReservation: true } });
    expect(machine.admit(cpuPod('a', [{ name: 'app', cpu: '500m' }]))).toBe('app 2-15');
  });

  it('never gives a busy thread away on a machine whose cores differ in size', () => {
    const topology = createTestTopology({ threadsOfCores: [2, 2, 1, 1, 1] });
    const one = (name: string) => cpuPod(name, [{ name: 'app', cpu: '1' }]);
    const three = cpuPod('d', [{ name: 'app', cpu: '3' }]);
    const safe = node({ topology, reservedCpuCount: 1 });
    expect([one('a'), one('b'), one('c'), three].map((pod) => safe.admit(pod))).toEqual([
      'app 5',
      'app 6',
      'app 0',
      'app 1-3',
    ]);
  });
});
