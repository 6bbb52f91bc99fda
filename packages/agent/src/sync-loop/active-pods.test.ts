import { otherPods, type PodAmounts } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import type { PodWorkerState } from '@rxlet/pod-workers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActivePods, createActivePods } from './active-pods.ts';

const SYNCING = { kind: 'syncing' } as PodWorkerState;
const TERMINATED = { kind: 'terminated' } as PodWorkerState;

const podOf = (name: string, cpu: string, phase: 'Running' | 'Failed' = 'Running'): Pod =>
  testPod({ name, containers: [{ resources: { requests: { cpu } } }], status: { phase } });

/** Amounts of every pod, and one that only some have. */
const amountsOf: PodAmounts = ({ spec, metadata }): Record<string, bigint> => {
  const cpu = BigInt(spec?.containers[0]?.resources?.requests?.['cpu'] ?? 0);
  return metadata?.name === 'a' ? { cpu, special: 1n } : { cpu };
};

function setUp() {
  const pods = new Map<string, Pod>();
  const states = new Map<string, PodWorkerState>();
  const running = new Set<string>();
  const allocated = new Map<string, Pod>();
  const index: ActivePods = createActivePods({
    config: { find: (uid) => pods.get(uid) },
    states: { state: (uid) => states.get(uid) },
    isRunning: (uid) => running.has(uid),
    allocated: (pod) => allocated.get(pod.metadata!.uid!) ?? pod,
  });
  return { pods, states, running, allocated, index };
}

describe('the index of active pods', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  const change = fc.record({
    name: fc.constantFrom(...NAMES),
    cpu: fc.integer({ min: 0, max: 3 }).map(String),
    kind: fc.constantFrom('desire', 'end', 'run', 'stop', 'sync', 'terminate', 'forget', 'remove', 'allocate'),
  });

  it('has the pods and sums of a full count after each change', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const { pods, states, running, allocated, index } = setUp();
        for (const { name, cpu, kind } of changes) {
          const uid = podOf(name, cpu).metadata!.uid!;
          if (kind === 'desire') pods.set(uid, podOf(name, cpu));
          else if (kind === 'end') pods.set(uid, podOf(name, cpu, 'Failed'));
          else if (kind === 'run') running.add(uid);
          else if (kind === 'stop') running.delete(uid);
          else if (kind === 'sync') states.set(uid, SYNCING);
          else if (kind === 'terminate') states.set(uid, TERMINATED);
          else if (kind === 'forget') states.delete(uid);
          else if (kind === 'remove') pods.delete(uid);
          else allocated.set(uid, podOf(name, cpu));
          index.refresh(uid);
          const counted = [...pods].flatMap(([one, pod]) => {
            const occupies = pod.status?.phase !== 'Failed' || running.has(one);
            return states.get(one) === SYNCING && occupies ? [allocated.get(one) ?? pod] : [];
          });
          expect(index.sum(amountsOf, 'cpu')).toBe(otherPods(counted).sum(amountsOf, 'cpu'));
          for (const except of NAMES) {
            const full = otherPods(counted.filter((pod) => pod.metadata?.name !== except));
            const others = index.except(podOf(except, '0').metadata!.uid!);
            expect(others.count).toBe(full.count);
            expect(new Set(others.list())).toEqual(new Set(full.list()));
            for (const amount of ['cpu', 'special', 'none'])
              expect(others.sum(amountsOf, amount)).toBe(full.sum(amountsOf, amount));
          }
        }
      }),
    );
  });

  it('reads only the changed pod', () => {
    const { pods, states, index } = setUp();
    let reads = 0;
    const countingAmounts: PodAmounts = (pod) => {
      reads += 1;
      return amountsOf(pod);
    };
    for (let number = 0; number < 1_000; number += 1) {
      const pod = podOf(`pod-${String(number)}`, '1');
      pods.set(pod.metadata!.uid!, pod);
      states.set(pod.metadata!.uid!, SYNCING);
      index.refresh(pod.metadata!.uid!);
    }
    expect(index.except('').sum(countingAmounts, 'cpu')).toBe(1_000n);
    reads = 0;
    const changed = podOf('pod-7', '5');
    pods.set(changed.metadata!.uid!, changed);
    index.refresh(changed.metadata!.uid!);
    expect(index.except('').sum(countingAmounts, 'cpu')).toBe(1_004n);
    expect(reads).toBe(2);
  });

  it('reports amounts that cannot be computed with each sum, and recovers from them', () => {
    const { pods, states, index } = setUp();
    const failingAmounts: PodAmounts = (pod) => {
      if (pod.metadata?.name === 'bad') throw new Error('malformed quantity');
      return amountsOf(pod);
    };
    const set = (pod: Pod): void => {
      pods.set(pod.metadata!.uid!, pod);
      states.set(pod.metadata!.uid!, SYNCING);
      index.refresh(pod.metadata!.uid!);
    };
    set(podOf('a', '2'));
    expect(index.except('').sum(failingAmounts, 'cpu')).toBe(2n);
    const bad = podOf('bad', '1');
    set(bad);
    expect(() => index.except('').sum(failingAmounts, 'cpu')).toThrow('malformed quantity');
    pods.delete(bad.metadata!.uid!);
    index.refresh(bad.metadata!.uid!);
    expect(index.except('').sum(failingAmounts, 'cpu')).toBe(2n);
  });
});
