import type { Container, ContainerStatus, PodStatus, RestartPolicy } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import {
  allContainersCouldRestart,
  containerShouldRestart,
  effectiveRestartPolicy,
  isContainerRestartable,
  matchesRestartAllRule,
  shouldAllContainersRestart,
  shouldContainerBeRestarted,
} from './restart-policy.ts';
import type { RuntimeContainerStatus } from './runtime-status.ts';
import { testContainer, testPod, testRuntimePodStatus } from './testing.ts';

const rule = (action: string, operator: string, ...values: number[]) => ({ action, exitCodes: { operator, values } });
const policies: readonly RestartPolicy[] = ['Always', 'OnFailure', 'Never'];

describe('effectiveRestartPolicy', () => {
  it("is the container's own before the pod's, and Always without either", () => {
    const pod = testPod({ restartPolicy: 'Never' });
    expect(effectiveRestartPolicy(testContainer(), pod)).toBe('Never');
    expect(effectiveRestartPolicy(testContainer({ restartPolicy: 'OnFailure' }), pod)).toBe('OnFailure');
    expect(effectiveRestartPolicy(testContainer(), {})).toBe('Always');
  });
});

describe('containerShouldRestart', () => {
  it.each(policies)('follows policy %s of pod or container', (restartPolicy) => {
    const want = { Always: [true, true], OnFailure: [false, true], Never: [false, false] }[restartPolicy];
    const byPod = [0, 1].map((code) => containerShouldRestart(testContainer(), testPod({ restartPolicy }), code));
    const own = testContainer({ restartPolicy });
    const byContainer = [0, 1].map((code) => containerShouldRestart(own, testPod({ restartPolicy: 'Never' }), code));
    expect(byPod).toEqual(want);
    expect(byContainer).toEqual(want);
  });

  const decide = (container: Partial<Container>, code: number): boolean =>
    containerShouldRestart(testContainer(container), testPod({ restartPolicy: 'Never' }), code);

  it('prefers rules to the policy', () => {
    const container = { restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'In', 42, 43)] };
    expect([42, 43, 1].map((code) => decide(container, code))).toEqual([true, true, false]);
    const others = { restartPolicy: 'Never', restartPolicyRules: [rule('RestartAllContainers', 'NotIn', 0, 1)] };
    expect([0, 1, 2].map((code) => decide(others, code))).toEqual([false, false, true]);
  });

  it('applies the first matching rule', () => {
    const restartPolicyRules = [rule('Unknown', 'In', 42), rule('Restart', 'In', 42)];
    expect(decide({ restartPolicy: 'Never', restartPolicyRules }, 42)).toBe(false);
  });

  it('ignores invalid rules, and rules of a container without a restart policy', () => {
    const restartPolicyRules = [{ action: 'Restart' }, rule('Restart', 'Like', 42)];
    expect(decide({ restartPolicy: 'Never', restartPolicyRules }, 42)).toBe(false);
    expect(decide({ restartPolicyRules: [rule('Restart', 'In', 42)] }, 42)).toBe(false);
  });
});

describe('shouldContainerBeRestarted', () => {
  const pod = testPod({ restartPolicy: 'OnFailure' });
  const decide = (
    ...containers: NonNullable<Parameters<typeof testRuntimePodStatus>[0]>['containers'] & object
  ): boolean => shouldContainerBeRestarted(pod, testContainer(), testRuntimePodStatus({ containers }));

  it('depends on the state of the newest instance', () => {
    expect(decide()).toBe(true);
    expect(decide({ state: 'created' })).toBe(true);
    expect(decide({ state: 'unknown' })).toBe(true);
    expect(decide({ state: 'running' })).toBe(false);
    expect(decide({ state: 'exited', exitCode: 0 })).toBe(false);
    expect(decide({ state: 'exited', exitCode: 1 })).toBe(true);
    expect(decide({ state: 'exited', exitCode: 0 }, { state: 'exited', exitCode: 1 })).toBe(false);
    expect(decide({ name: 'other', state: 'running' })).toBe(true);
  });

  it('is false in a pod that is being deleted', () => {
    const deleted = testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(shouldContainerBeRestarted(deleted, testContainer(), testRuntimePodStatus({ containers: [] }))).toBe(false);
  });
});

describe('isContainerRestartable', () => {
  it('depends on the policy and the rules', () => {
    const never = testPod({ restartPolicy: 'Never' });
    expect(isContainerRestartable(testContainer(), never)).toBe(false);
    expect(isContainerRestartable(testContainer(), testPod({ restartPolicy: 'OnFailure' }))).toBe(true);
    const restartPolicyRules = [rule('Restart', 'In', 42)];
    expect(isContainerRestartable(testContainer({ restartPolicy: 'Never', restartPolicyRules }), never)).toBe(true);
  });
});

describe('restart of all containers', () => {
  const trigger = {
    name: 'trigger',
    restartPolicy: 'Never',
    restartPolicyRules: [rule('RestartAllContainers', 'In', 42)],
  };
  const pod = testPod({ containers: [{ name: 'app' }, trigger] });
  const exited = (name: string, exitCode: number) => ({ name, state: 'exited', exitCode }) as const;
  const decide = (...containers: ReturnType<typeof exited>[]): boolean =>
    shouldAllContainersRestart(pod, testRuntimePodStatus({ pod, containers }));

  it('is possible with a matching rule', () => {
    expect(allContainersCouldRestart(pod)).toBe(true);
    expect(allContainersCouldRestart(testPod({ initContainers: [trigger] }))).toBe(true);
    expect(allContainersCouldRestart(testPod())).toBe(false);
  });

  it('is demanded by an exit code', () => {
    expect(matchesRestartAllRule(testContainer(trigger), 42)).toBe(true);
    expect(matchesRestartAllRule(testContainer(trigger), 1)).toBe(false);
    const restartPolicyRules = [rule('Restart', 'In', 42), rule('RestartAllContainers', 'In', 42)];
    expect(matchesRestartAllRule(testContainer({ restartPolicy: 'Never', restartPolicyRules }), 42)).toBe(false);
  });

  it('is pending when the newest instance of a container exited with such a code', () => {
    expect(decide(exited('trigger', 42))).toBe(true);
    expect(decide(exited('app', 42), exited('trigger', 1), exited('trigger', 42))).toBe(false);
  });

  it('is pending while the pod’s condition is true', () => {
    const conditions = [{ type: 'AllContainersRestarting', status: 'True' }] as const;
    expect(shouldAllContainersRestart(pod, testRuntimePodStatus({ pod }), { conditions })).toBe(true);
    const over = [{ type: 'AllContainersRestarting', status: 'False' }] as const;
    expect(shouldAllContainersRestart(pod, testRuntimePodStatus({ pod }), { conditions: over })).toBe(false);
  });

  const demanding: ContainerStatus = {
    name: 'trigger',
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    containerID: 'containerd://t0',
    state: { terminated: { exitCode: 42 } },
  };

  it('is over once the container that demanded it runs again, whatever the reported condition', () => {
    const reported: PodStatus = {
      conditions: [{ type: 'AllContainersRestarting', status: 'True' }],
      containerStatuses: [demanding],
    };
    const trigger = (id: string, more: Partial<RuntimeContainerStatus> = {}): Partial<RuntimeContainerStatus> => ({
      name: 'trigger',
      id: { type: 'containerd', id },
      ...more,
    });
    const isPending = (...containers: readonly Partial<RuntimeContainerStatus>[]): boolean =>
      shouldAllContainersRestart(pod, testRuntimePodStatus({ pod, containers }), reported);
    expect(isPending(trigger('t0', { state: 'exited', exitCode: 42 }), { name: 'app' })).toBe(true);
    expect(isPending()).toBe(true);
    expect(isPending(trigger('t1'))).toBe(false);
    expect(isPending(trigger('t1', { state: 'exited', exitCode: 1 }), { name: 'app' })).toBe(false);
    expect(isPending(trigger('t1', { state: 'exited', exitCode: 42 }), { name: 'app' })).toBe(true);
  });

  it('is pending by the reported status for a container without instances', () => {
    const reported = { containerStatuses: [demanding] };
    expect(shouldAllContainersRestart(pod, testRuntimePodStatus({ pod, containers: [] }), reported)).toBe(true);
    expect(shouldAllContainersRestart(pod, testRuntimePodStatus({ pod }), reported)).toBe(false);
  });

  it('decides in time linear in the number of containers, which the author of a pod chooses', () => {
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }] as const;
    const names = Array.from({ length: 200_000 }, (_none, index) => `c${String(index)}`);
    const many = testPod({
      containers: names.map((name) => ({ name, restartPolicy: 'Never', restartPolicyRules: rules })),
    });
    const containerStatuses = names.map((name): ContainerStatus => ({ ...demanding, name, state: {} }));
    const runtime = testRuntimePodStatus({ pod: many, containers: [] });
    expect(shouldAllContainersRestart(many, runtime, { containerStatuses })).toBe(false);
  });
});
