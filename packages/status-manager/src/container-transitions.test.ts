import type { Container, ContainerState, PodStatus } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { illegalTransition } from './container-transitions.ts';

const status = (state: ContainerState, list: 'containerStatuses' | 'initContainerStatuses'): PodStatus => ({
  [list]: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state }],
});
const running: ContainerState = { running: {} };
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } });

type Policy = 'Always' | 'OnFailure' | 'Never';

const isLegal = (policy: Policy, exitCode: number, container: Partial<Container> = {}, init = false): boolean => {
  const containers = [{ name: 'c', ...container }];
  const pod = testPod({ restartPolicy: policy, ...(init ? { initContainers: containers } : { containers }) });
  const list = init ? 'initContainerStatuses' : 'containerStatuses';
  return illegalTransition(pod, status(exited(exitCode), list), status(running, list)) === undefined;
};

describe('illegalTransition', () => {
  it.each<[policy: Policy, exitCode: number, legal: boolean]>([
    ['Always', 0, true],
    ['Always', 1, true],
    ['OnFailure', 1, true],
    ['OnFailure', 0, false],
    ['Never', 1, false],
    ['Never', 0, false],
  ])('follows the restart policy: %s, exit code %i: %s', (policy, exitCode, legal) => {
    expect(isLegal(policy, exitCode)).toBe(legal);
    expect(isLegal(policy, exitCode, {}, true)).toBe(legal);
  });

  it('follows the restart policy and rules of the container', () => {
    expect(isLegal('Never', 1, { restartPolicy: 'OnFailure' })).toBe(true);
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }] as const;
    expect(isLegal('Never', 42, { restartPolicy: 'Never', restartPolicyRules })).toBe(true);
    expect(isLegal('Never', 43, { restartPolicy: 'Never', restartPolicyRules })).toBe(false);
  });

  it('follows the restart policy of the pod even if the container has its own', () => {
    const own = { restartPolicy: 'Never' };
    expect(isLegal('Always', 0, own)).toBe(true);
    expect(isLegal('OnFailure', 1, own)).toBe(true);
    expect(isLegal('OnFailure', 0, own)).toBe(false);
  });

  it('allows every restart in a pod whose containers may all be restarted', () => {
    const restartPolicyRules = [
      { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
    ] as const;
    expect(isLegal('Never', 0, { restartPolicy: 'Never', restartPolicyRules })).toBe(true);
  });

  it('allows that a container is removed to be restarted on request', () => {
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'c' }] });
    const [ended, removed, created] = [
      exited(0),
      { waiting: { reason: 'RestartingAllContainers' } },
      { waiting: {} },
    ].map((state) => status(state, 'containerStatuses'));
    expect(illegalTransition(pod, ended!, removed!)).toBeUndefined();
    expect(illegalTransition(pod, ended!, created!)).toContain('has terminated for good');
  });

  it('follows the restart policy of the container with the name', () => {
    const pod = testPod({
      restartPolicy: 'Never',
      containers: [{ name: 'a', restartPolicy: 'OnFailure' }, { name: 'c' }],
    });
    const [ended, up] = [status(exited(1), 'containerStatuses'), status(running, 'containerStatuses')];
    expect(illegalTransition(pod, ended, up)).toBeDefined();
  });

  it('allows a newer instance that runs, as in a new sandbox', () => {
    const pod = testPod({ restartPolicy: 'OnFailure', containers: [{ name: 'c', restartPolicy: 'Never' }] });
    const instance = (state: ContainerState, containerID: string, restartCount: number): PodStatus => ({
      containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, state, containerID, restartCount }],
    });
    const isAllowed = (next: PodStatus): boolean =>
      illegalTransition(pod, instance(exited(0), 'containerd://c1', 1), next) === undefined;
    expect(isAllowed(instance(running, 'containerd://c2', 2))).toBe(true);
    expect(isAllowed(instance({ waiting: {} }, 'containerd://c2', 2))).toBe(false);
    expect(isAllowed(instance(running, 'containerd://c1', 2))).toBe(false);
    expect(isAllowed(instance(running, 'containerd://c0', 0))).toBe(false);
  });

  it('allows restarts of sidecars', () => {
    expect(isLegal('Never', 0, { restartPolicy: 'Always' }, true)).toBe(true);
  });

  it('names the container, and ignores containers that are missing in either status', () => {
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'c' }] });
    const ended = status(exited(0), 'containerStatuses');
    expect(illegalTransition(pod, ended, status(running, 'containerStatuses'))).toContain('container c ');
    expect(illegalTransition(pod, ended, {})).toBeUndefined();
    expect(illegalTransition(pod, {}, status(running, 'containerStatuses'))).toBeUndefined();
    expect(illegalTransition(pod, status(running, 'containerStatuses'), ended)).toBeUndefined();
    expect(illegalTransition(pod, ended, status(exited(1), 'containerStatuses'))).toBeUndefined();
    const up = status(running, 'containerStatuses');
    expect(illegalTransition(pod, up, up)).toBeUndefined();
    const other = testPod({ restartPolicy: 'Never', containers: [{ name: 'other' }] });
    expect(illegalTransition(other, ended, up)).toContain('container c ');
    expect(illegalTransition({}, status(exited(1), 'containerStatuses'), up)).toContain('container c ');
  });

  it('counts a container without a state as not terminated', () => {
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'c' }] });
    const ended = status(exited(0), 'containerStatuses');
    const { containerStatuses: [container] = [] } = ended;
    const { state: _, ...stateless } = container!;
    expect(illegalTransition(pod, ended, { containerStatuses: [stateless] })).toContain('container c ');
    expect(illegalTransition(pod, { containerStatuses: [stateless] }, ended)).toBeUndefined();
  });
});
