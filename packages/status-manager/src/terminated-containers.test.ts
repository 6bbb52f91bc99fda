import { recordingMetrics } from '@rxlet/component-base/testing';
import type { ContainerState, ContainerStatus } from '@rxlet/kube-api';
import { describe, expect, it, vi } from 'vitest';
import { createTerminatedContainersCounter } from './terminated-containers.ts';

const container = (name: string, state: ContainerState): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
});

describe('kubelet_terminated_containers_total', () => {
  it('has the help text of the kubelet', () => {
    const metrics = recordingMetrics();
    const counter = vi.spyOn(metrics, 'counter');
    createTerminatedContainersCounter(metrics);
    expect(counter.mock.calls[0]?.[0].help).toBe('[ALPHA] Cumulative number of container terminations.');
  });

  it('counts each termination when it is first reported', () => {
    const metrics = recordingMetrics();
    const count = createTerminatedContainersCounter(metrics);
    const failed = { containerStatuses: [container('a', { terminated: { exitCode: 2, reason: 'Error' } })] };
    const completed = { terminated: { exitCode: 0, reason: 'Completed' } };
    const ofApp = 'kubelet_terminated_containers_total{container_type="container",exit_code="2",reason="Error"}';
    count({}, failed);
    expect(metrics.values.get(ofApp)).toBe(1);
    count(failed, failed);
    expect(metrics.values.get(ofApp)).toBe(1);
    count(failed, { ...failed, initContainerStatuses: [container('i', completed)] });
    count({ containerStatuses: [container('a', { running: {} })] }, failed);
    count({}, { ephemeralContainerStatuses: [container('e', completed)] });
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_terminated_containers_total{container_type="container",exit_code="2",reason="Error"}': 2,
      'kubelet_terminated_containers_total{container_type="init_container",exit_code="0",reason="Completed"}': 1,
      'kubelet_terminated_containers_total{container_type="ephemeral_container",exit_code="0",reason="Completed"}': 1,
    });
  });

  it('counts a termination without a reason, and no container without a state', () => {
    const metrics = recordingMetrics();
    const { state: _, ...stateless } = container('a', {});
    const stateful = container('a', { terminated: { exitCode: 2 } });
    const count = createTerminatedContainersCounter(metrics);
    count({ containerStatuses: [stateless] }, { containerStatuses: [stateful] });
    count({ containerStatuses: [stateful] }, { containerStatuses: [stateless] });
    expect([...metrics.values]).toEqual([
      ['kubelet_terminated_containers_total{container_type="container",exit_code="2",reason=""}', 1],
    ]);
  });
});
