import type { ContainerStatus } from '@rxlet/kube-api';
import { testContainerStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { instanceState } from './container-instance.ts';

describe('the state of an instance', () => {
  it('has a reason and a message only if the runtime has', () => {
    const terminated = {
      exitCode: 3,
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:01Z',
      containerID: 'containerd://app-0',
    };
    const exited = testContainerStatus({ state: 'exited', exitCode: 3, reason: '' });
    expect(instanceState(exited, undefined, false)).toStrictEqual({ terminated });
    expect(instanceState({ ...exited, reason: 'OOMKilled', message: 'why' }, undefined, false)).toStrictEqual({
      terminated: { ...terminated, reason: 'OOMKilled', message: 'why' },
    });
  });

  it('waits while it is created, or unknown without having run', () => {
    const stateless: ContainerStatus = { name: 'app', image: '', imageID: '', ready: false, restartCount: 0 };
    const running = { ...stateless, state: { running: {} } };
    const state = (state: 'created' | 'unknown', previous?: ContainerStatus): unknown =>
      instanceState(testContainerStatus({ state }), previous, false);
    expect(state('created', running)).toEqual({ waiting: {} });
    expect(state('unknown')).toEqual({ waiting: {} });
    expect(state('unknown', stateless)).toEqual({ waiting: {} });
    expect(state('unknown', running)).toMatchObject({ terminated: { exitCode: 137 } });
  });
});
