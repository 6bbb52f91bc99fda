import type { ContainerState, ContainerStatus, PodStatus } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { terminatedPodStatus } from './terminated-status.ts';

const waiting: ContainerState = { waiting: { reason: 'PodInitializing' } };
const running: ContainerState = { running: {} };
const succeeded: ContainerState = { terminated: { exitCode: 0, reason: 'Completed' } };
const lost: ContainerState = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  },
};

const container = (name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const states = (list: readonly ContainerStatus[] | undefined): (ContainerState | undefined)[] | undefined =>
  list?.map(({ state }) => state);

describe('terminatedPodStatus', () => {
  it('counts containers with an unknown end as failed, and keeps known ends', () => {
    const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    const status = terminatedPodStatus(pod, {
      phase: 'Running',
      containerStatuses: [container('a', running), container('b', succeeded), container('c', waiting)],
    });
    expect(status.phase).toBe('Failed');
    expect(states(status.containerStatuses)).toEqual([lost, succeeded, lost]);
  });

  it('marks a container with an unknown end as not ready, and changes nothing else', () => {
    const before = container('app', waiting, {
      ready: true,
      started: true,
      containerID: 'containerd://1',
      restartCount: 3,
    });
    const { containerStatuses } = terminatedPodStatus(testPod(), { phase: 'Running', containerStatuses: [before] });
    expect(containerStatuses).toEqual([{ ...before, state: lost, ready: false, started: false }]);
  });

  it('counts a container without a state as one with an unknown end', () => {
    const { state: _, ...stateless } = container('app', {});
    const { containerStatuses } = terminatedPodStatus({}, { containerStatuses: [stateless] });
    expect(states(containerStatuses)).toEqual([lost]);
  });

  it.each(['Succeeded', 'Failed'] as const)('keeps the phase %s', (phase) => {
    expect(terminatedPodStatus(testPod(), { phase }).phase).toBe(phase);
  });

  it('sets the phase of a pod without one', () => {
    expect(terminatedPodStatus(testPod(), {}).phase).toBe('Failed');
  });

  it('keeps the phase of a static pod', () => {
    const pod = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
    expect(terminatedPodStatus(pod, { phase: 'Running' }).phase).toBe('Running');
  });

  describe('with init containers', () => {
    const pod = testPod({ initContainers: [{ name: 'i0' }, { name: 'i1' }], containers: [{ name: 'app' }] });
    const ended = (init: ContainerStatus[], app: ContainerStatus): PodStatus =>
      terminatedPodStatus(pod, { phase: 'Pending', initContainerStatuses: init, containerStatuses: [app] });

    it('counts started init containers as failed', () => {
      const status = ended([container('i0', succeeded), container('i1', running)], container('app', waiting));
      expect(states(status.initContainerStatuses)).toEqual([succeeded, lost]);
      expect(states(status.containerStatuses)).toEqual([waiting]);
    });

    it('keeps containers that were never attempted', () => {
      const status = ended([container('i0', running), container('i1', waiting)], container('app', waiting));
      expect(states(status.initContainerStatuses)).toEqual([lost, waiting]);
      expect(states(status.containerStatuses)).toEqual([waiting]);
    });

    it('always counts the first init container as attempted', () => {
      const status = ended([container('i0', waiting), container('i1', waiting)], container('app', waiting));
      expect(states(status.initContainerStatuses)).toEqual([lost, waiting]);
    });

    it('counts a previous run', () => {
      const tried = container('i1', waiting, { lastState: { terminated: { exitCode: 1 } } });
      const status = ended([container('i0', succeeded), tried], container('app', waiting));
      expect(states(status.initContainerStatuses)).toEqual([succeeded, lost]);
      expect(states(status.containerStatuses)).toEqual([waiting]);
    });

    it.each<[what: string, last: ContainerStatus, app: ContainerStatus]>([
      ['the last init container succeeded', container('i1', succeeded), container('app', waiting)],
      ['it did so once', container('i1', waiting, { lastState: succeeded }), container('app', waiting)],
      [
        'a regular container was started',
        container('i1', waiting),
        container('app', waiting, { lastState: succeeded }),
      ],
    ])('counts the pod as initialized when %s', (_what, last, app) => {
      expect(states(ended([container('i0', succeeded), last], app).containerStatuses)).toEqual([lost]);
    });

    it('counts the pod as initialized when any regular container was started', () => {
      const several = testPod({ initContainers: [{ name: 'i0' }], containers: [{ name: 'a' }, { name: 'b' }] });
      const init = [container('i0', waiting)];
      const regular = [container('a', waiting), container('b', running)];
      const status = terminatedPodStatus(several, { initContainerStatuses: init, containerStatuses: regular });
      expect(states(status.containerStatuses)).toEqual([lost, lost]);
    });

    it('keeps regular containers when the init containers are unknown or none of the spec', () => {
      const app = container('app', waiting);
      expect(terminatedPodStatus(pod, { containerStatuses: [app] })).toEqual({
        phase: 'Failed',
        containerStatuses: [app],
      });
      expect(states(ended([], app).containerStatuses)).toEqual([waiting]);
      expect(states(ended([container('other', succeeded)], app).containerStatuses)).toEqual([waiting]);
    });

    it('counts a container without a state as started', () => {
      const { state: _, ...stateless } = container('app', {});
      expect(states(ended([container('i0', waiting)], stateless).containerStatuses)).toEqual([lost]);
      const attempted = ended([container('i0', succeeded), { ...stateless, name: 'i1' }], container('app', waiting));
      expect(states(attempted.initContainerStatuses)).toEqual([succeeded, lost]);
      expect(states(attempted.containerStatuses)).toEqual([waiting]);
      const again = ended([container('i0', waiting, { lastState: {} })], container('app', waiting));
      expect(states(again.containerStatuses)).toEqual([waiting]);
    });

    it('looks at the last init container of a pod with a sidecar', () => {
      const mixed = testPod({ initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] });
      const app = (sidecar: ContainerStatus): unknown =>
        terminatedPodStatus(mixed, {
          initContainerStatuses: [container('i', succeeded), sidecar],
          containerStatuses: [container('app', waiting)],
        }).containerStatuses?.[0]?.state;
      expect(app(container('s', running, { started: true }))).toEqual(lost);
      expect(app(container('s', waiting, { started: true }))).toEqual(waiting);
      const { state: _, ...stateless } = container('s', {}, { started: true });
      expect(app(stateless)).toEqual(waiting);
    });

    it('counts the pod as initialized when its last init container is a started sidecar', () => {
      const withSidecar = testPod({ initContainers: [{ name: 's', restartPolicy: 'Always' }], containers: [{}] });
      const status = (started: boolean): PodStatus =>
        terminatedPodStatus(withSidecar, {
          initContainerStatuses: [container('s', running, { started })],
          containerStatuses: [container('app', waiting)],
        });
      expect(states(status(true).containerStatuses)).toEqual([lost]);
      expect(states(status(false).containerStatuses)).toEqual([waiting]);
    });
  });
});
