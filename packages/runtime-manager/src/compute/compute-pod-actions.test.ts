import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.ts';
import type { PodActions } from './pod-actions.ts';

// What a kubelet decides for thousands of pods is compared by `npm run parity`; these are the plain cases.
const pod = testPod({ initContainers: [{ name: 'setup' }], containers: [{ name: 'web' }] });
const nothing: PodActions = {
  killPod: false,
  createSandbox: false,
  sandboxId: 'sandbox-0',
  attempt: 0,
  containersToKill: [],
  containersToReset: [],
  ephemeralContainersToStart: [],
  initContainersToStart: [],
  containersToUpdate: {},
  updatePodResources: false,
  containersToStart: [],
};

describe('computePodActions', () => {
  it.each<[string, RuntimePodStatus, Partial<PodActions>]>([
    [
      'creates a sandbox, then starts the first init container',
      testRuntimePodStatus({ pod, sandboxes: [], containers: [] }),
      { killPod: true, createSandbox: true, sandboxId: '', initContainersToStart: [0] },
    ],
    [
      'replaces a sandbox that is not ready',
      testRuntimePodStatus({ pod, sandboxes: [{ attempt: 2, state: 'notready' }] }),
      { killPod: true, createSandbox: true, sandboxId: 'sandbox-2', attempt: 3, initContainersToStart: [0] },
    ],
    [
      'starts the first init container in a new sandbox',
      testRuntimePodStatus({ pod, containers: [] }),
      { initContainersToStart: [0] },
    ],
    ['waits for an init container', testRuntimePodStatus({ pod, containers: [{ name: 'setup' }] }), {}],
    [
      'starts the containers after the last init container',
      testRuntimePodStatus({ pod, containers: [{ name: 'setup', state: 'exited' }] }),
      { containersToStart: [0] },
    ],
    ['needs no action for running containers', testRuntimePodStatus({ pod }), {}],
    [
      'restarts a crashed container',
      testRuntimePodStatus({
        pod,
        containers: [
          { name: 'web', state: 'exited', exitCode: 1 },
          { name: 'setup', state: 'exited' },
        ],
      }),
      { containersToStart: [0] },
    ],
    [
      'replaces a container whose definition changed',
      testRuntimePodStatus({ pod, containers: [{ name: 'web', hash: '0' }] }),
      {
        containersToKill: [
          { id: 'web-0', name: 'web', message: 'Container web definition changed, will be restarted', reason: '' },
        ],
        containersToStart: [0],
      },
    ],
  ])('%s', (_, status, want) => {
    expect(computePodActions({ pod, status })).toEqual({ ...nothing, ...want });
  });

  it('kills a pod whose containers may not restart', () => {
    const once = testPod({ restartPolicy: 'Never', containers: [{ name: 'web' }] });
    const status = testRuntimePodStatus({ pod: once, containers: [{ name: 'web', state: 'exited', exitCode: 1 }] });
    expect(computePodActions({ pod: once, status })).toEqual({ ...nothing, killPod: true });
  });
});
