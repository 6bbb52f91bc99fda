import { recordingMetrics } from '@rxlet/component-base/testing';
import type { ContainerState, ContainerStatus } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
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
  it('counts each termination when it is first reported', () => {
    const metrics = recordingMetrics();
    const count = createTerminatedContainersCounter(metrics);
    const failed = { containerStatuses: [container('a', { terminated: { exitCode: 2, reason: 'Error' } })] };
    const completed = { terminated: { exitCode: 0, reason: 'Completed' } };
    count({}, failed);
    count(failed, { ...failed, initContainerStatuses: [container('i', completed)] });
    count({ containerStatuses: [container('a', { running: {} })] }, failed);
    count({}, { ephemeralContainerStatuses: [container('e', completed)] });
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_terminated_containers_total{container_type="container",exit_code="2",reason="Error"}': 2,
      'kubelet_terminated_containers_total{container_type="init_container",exit_code="0",reason="Completed"}': 1,
      'kubelet_terminated_containers_total{container_type="ephemeral_container",exit_code="0",reason="Completed"}': 1,
    });
  });
});
