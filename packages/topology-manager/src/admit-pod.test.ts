import type { AllocationFailure, HintProvider } from '@rxlet/agent-api/topology';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { admitPod } from './admit-pod.ts';
import { createTopologyPolicy } from './topology-policy.ts';

const pod = testPod({ initContainers: [{ name: 'init' }], containers: [{ name: 'app' }] });
const numaNodes = [{ id: 0 }, { id: 1 }];

/** Provider whose containers fit one NUMA node each, and the whole pod on node 1 only. */
function recordingProvider(calls: string[], failures: Readonly<Record<string, AllocationFailure>> = {}): HintProvider {
  const on = (node: number) => ({ cpu: [{ numaNodes: [node], isPreferred: true }] });
  return {
    containerHints: (_, { name }) => on(name === 'init' ? 0 : 1),
    podHints: () => on(1),
    allocate: (_, { name }, { numaNodes: nodes }) => {
      calls.push(`${name} on ${nodes?.join() ?? 'any'}`);
      return Promise.resolve(failures[name]);
    },
  };
}

const admit = (policy: string, scope: string, providers: readonly HintProvider[]) =>
  admitPod(createTopologyPolicy({ policy, scope, numaNodes }), pod, providers);

describe('admitPod', () => {
  it.each([
    ['container', ['init on 0', 'app on 1']],
    ['pod', ['init on 1', 'app on 1']],
  ])('aligns each container, or all together, with scope %s', async (scope, wanted) => {
    const calls: string[] = [];
    const { rejection, affinities } = await admit('restricted', scope, [recordingProvider(calls)]);
    expect([rejection, calls]).toEqual([undefined, wanted]);
    expect([...affinities.keys()]).toEqual(['init', 'app']);
  });

  it('allocates without alignment with the policy none', async () => {
    const calls: string[] = [];
    const { affinities } = await admit('none', 'pod', [recordingProvider(calls)]);
    expect([calls, affinities.size]).toEqual([['init on any', 'app on any'], 0]);
  });

  it('rejects a pod whose resources cannot be aligned before anything is allocated', async () => {
    const calls: string[] = [];
    const other: HintProvider = { ...recordingProvider([]), podHints: () => ({ gpu: [] }) };
    expect((await admit('restricted', 'pod', [recordingProvider(calls), other])).rejection).toEqual({
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
    });
    expect(calls).toEqual([]);
  });

  it.each([
    [
      { message: 'no devices left' },
      'UnexpectedAdmissionError',
      'Allocate failed due to no devices left, which is unexpected',
    ],
    [{ reason: 'SMTAlignmentError', message: 'SMT Alignment Error' }, 'SMTAlignmentError', 'SMT Alignment Error'],
  ])('rejects a pod when a provider fails with %j', async (failure, reason, message) => {
    const calls: string[] = [];
    const { rejection } = await admit('best-effort', 'container', [recordingProvider(calls, { init: failure })]);
    expect([rejection, calls]).toEqual([{ reason, message }, ['init on 0']]);
  });
});
