import { createTestTopology } from '@rxlet/machine/testing';
import type { NumaHint } from '@rxlet/agent-api/topology';
import { type CpuSet, isSameCpuSet } from '@rxlet/machine/topology';
import type { Pod } from '@rxlet/kube-api';
import { isSidecar, podContainers, podUid } from '@rxlet/pod-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateCpus } from './allocate-cpus.ts';
import { type CpuState, removeContainerCpus, retainCpus, startCpuState } from './cpu-state.ts';
import { noCpuPolicyOptions } from './policy-options.ts';
import { formatCpuState, restoreCpuState } from './state-file.ts';
import { createStaticCpuPolicy, type StaticCpuPolicy } from './static-policy.ts';
import { cpuPod } from './test-support.ts';

const topologies = fc.record({
  sockets: fc.integer({ min: 1, max: 4 }),
  nodesPerSocket: fc.integer({ min: 1, max: 2 }),
  threadsOfCores: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
  coresPerCache: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
});
const options = fc
  .record({
    fullPhysicalCpusOnly: fc.boolean(),
    distributeAcrossNuma: fc.boolean(),
    alignBySocket: fc.boolean(),
    distributeAcrossCores: fc.boolean(),
    strictReservation: fc.boolean(),
    preferUncoreCacheAlignment: fc.boolean(),
  })
  .map((chosen) => ({ ...noCpuPolicyOptions, ...chosen }));
const kinds = fc.constantFrom('init', 'sidecar', 'regular' as const);
const pods = fc.array(
  fc.array(fc.record({ cpu: fc.constantFrom('1', '2', '3', '5', '1500m'), kind: kinds }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 5 },
);
const operations = fc.array(
  fc.record({
    kind: fc.constantFrom('admit', 'admit', 'admit', 'remove', 'retain', 'restart'),
    pod: fc.nat(),
    container: fc.nat(),
    numaNodes: fc.option(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  }),
  { maxLength: 25 },
);

type Operation = typeof operations extends fc.Arbitrary<(infer T)[]> ? T : never;

function play(policy: StaticCpuPolicy, state: CpuState, all: readonly Pod[], operation: Operation): CpuState {
  const pod = all[operation.pod % all.length]!;
  const containers = podContainers(pod, ['init', 'regular']);
  const affinity: NumaHint = { numaNodes: operation.numaNodes, isPreferred: false };
  switch (operation.kind) {
    case 'admit':
      return containers.reduce(
        (before, { container }) => allocateCpus(policy, before, pod, container, affinity).state,
        state,
      );
    case 'remove':
      return removeContainerCpus(
        state,
        podUid(pod),
        containers[operation.container % containers.length]!.container.name,
      );
    case 'retain':
      return retainCpus(
        state,
        all.filter((other) => other !== pod),
      );
    default:
      return restoreCpuState(policy, formatCpuState({ policyName: 'static', ...state }), '/state');
  }
}

/** Checks that containers that may run at once have different CPUs. An init container that ends may share CPUs with others of its pod. */
function checkState(policy: StaticCpuPolicy, state: CpuState, all: readonly Pod[]): void {
  const { layout, options, reserved } = policy;
  let known: CpuSet = state.shared;
  const seen: { readonly uid: string; readonly ends: boolean; readonly cpus: CpuSet }[] = [];
  for (const pod of all) {
    const ending = new Set((pod.spec?.initContainers ?? []).filter((init) => !isSidecar(init)).map(({ name }) => name));
    for (const [name, cpus] of state.assignments.get(podUid(pod)) ?? []) {
      expect(cpus.isDisjointFrom(state.shared)).toBe(true);
      expect(cpus.isDisjointFrom(reserved)).toBe(true);
      const container = { uid: podUid(pod), ends: ending.has(name), cpus };
      for (const other of seen)
        if (other.uid !== container.uid || (!other.ends && !container.ends))
          expect(other.cpus.isDisjointFrom(cpus)).toBe(true);
      seen.push(container);
      known = known.union(cpus);
    }
  }
  expect(isSameCpuSet(options.strictReservation ? known.union(reserved) : known, layout.cpus)).toBe(true);
}

describe('CPUs of containers', () => {
  it('belong to one container at a time, and none is lost, over admissions, removals and restarts', () => {
    fc.assert(
      fc.property(topologies, options, pods, operations, (shape, chosen, specs, sequence) => {
        const topology = createTestTopology(shape);
        const policy = createStaticCpuPolicy({ topology, options: chosen, reservedCpuCount: 1 });
        fc.pre(policy.layout.cpus.size > 1);
        const all = specs.map((containers, index) =>
          cpuPod(
            `pod${String(index)}`,
            containers.map((container, position) => ({ ...container, name: `c${String(position)}` })),
          ),
        );
        let state = startCpuState(policy);
        for (const operation of sequence) {
          state = play(policy, state, all, operation);
          checkState(policy, state, all);
        }
      }),
      { numRuns: 300 },
    );
  });
});
