import type { Pod } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions, type PodActionsInput } from './compute-pod-actions.ts';
import type { PodActions } from './pod-actions.ts';

// What a kubelet decides for thousands of pods is compared by `npm run parity`; these are the rules.
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

  it('removes all instances when all containers restart in place', () => {
    const status = testRuntimePodStatus({ pod, containers: [{ name: 'web' }] });
    expect(computePodActions({ pod, status, restartAllContainers: true })).toEqual({
      ...nothing,
      containersToReset: [{ id: 'web-0', name: 'web', kill: true }],
    });
  });

  it('starts the ephemeral containers that never existed, beside whatever the others need', () => {
    const ephemeralContainers = [{ name: 'old' }, { name: 'new' }].map((container) => ({ ...container, image: 'i' }));
    const debugged = testPod({ containers: [{ name: 'web' }], spec: { ephemeralContainers } });
    const old = { name: 'old', state: 'exited', exitCode: 1 } as const;
    const web = { name: 'web', hash: containerHash(debugged.spec!.containers[0]!) };
    expect(
      computePodActions({ pod: debugged, status: testRuntimePodStatus({ pod: debugged, containers: [web, old] }) }),
    ).toEqual({ ...nothing, ephemeralContainersToStart: [1] });
    expect(
      computePodActions({ pod: debugged, status: testRuntimePodStatus({ pod: debugged, containers: [old] }) }),
    ).toEqual({ ...nothing, ephemeralContainersToStart: [1], containersToStart: [0] });
  });

  it('kills a pod whose containers may not restart', () => {
    const once = testPod({ restartPolicy: 'Never', containers: [{ name: 'web' }] });
    const status = testRuntimePodStatus({ pod: once, containers: [{ name: 'web', state: 'exited', exitCode: 1 }] });
    expect(computePodActions({ pod: once, status })).toEqual({ ...nothing, killPod: true });
  });
});

describe('a pod without a usable sandbox', () => {
  const containers = [{ name: 'web' }, { name: 'db' }];
  const dead = [{ attempt: 2, state: 'notready' }] as const;
  const kill = { ...nothing, killPod: true, sandboxId: 'sandbox-2', attempt: 3 };
  const exited = (name: string, exitCode: number): Partial<RuntimeContainerStatus> => ({
    name,
    state: 'exited',
    exitCode,
  });

  it.each<[string, 'Always' | 'OnFailure' | 'Never', readonly Partial<RuntimeContainerStatus>[], Partial<PodActions>]>([
    [
      'starts all containers in a new one',
      'Always',
      [exited('web', 0), exited('db', 1)],
      { createSandbox: true, containersToStart: [0, 1] },
    ],
    [
      'starts the containers that have not succeeded, with the policy OnFailure',
      'OnFailure',
      [exited('web', 0), exited('db', 1)],
      { createSandbox: true, containersToStart: [1] },
    ],
    [
      'starts the containers again that ran in the old one, with the policy OnFailure',
      'OnFailure',
      [exited('web', 0), { name: 'db', state: 'running' }],
      { createSandbox: true, containersToStart: [1] },
    ],
    [
      'gets none when all have succeeded, with the policy OnFailure',
      'OnFailure',
      [exited('web', 0), exited('db', 0)],
      {},
    ],
    ['gets none once a container was started, with the policy Never', 'Never', [exited('web', 0)], {}],
    [
      'gets one if no container was started, with the policy Never',
      'Never',
      [],
      { createSandbox: true, containersToStart: [0, 1] },
    ],
  ])('%s', (_title, restartPolicy, instances, want) => {
    const given = testPod({ restartPolicy, containers });
    const status = testRuntimePodStatus({ pod: given, sandboxes: dead, containers: instances });
    expect(computePodActions({ pod: given, status })).toEqual({ ...kill, ...want });
  });

  it('gets one with the policy Never if its first one was removed', () => {
    const given = testPod({ restartPolicy: 'Never', containers });
    const status = testRuntimePodStatus({ pod: given, sandboxes: [], containers: [exited('web', 0)] });
    expect(computePodActions({ pod: given, status })).toMatchObject({ createSandbox: true, attempt: 0 });
  });
});

describe('a regular container', () => {
  const running = (pod: Pod): RuntimePodStatus => testRuntimePodStatus({ pod });
  const solo = (restartPolicy: 'Always' | 'OnFailure' | 'Never'): Pod => testPod({ restartPolicy });
  const failed = new Map([['app-0', 'failure']] as const);

  it.each<[string, Partial<PodActionsInput>, PodActions['containersToKill'][number]]>([
    [
      'liveness',
      { livenessResults: failed },
      { id: 'app-0', name: 'app', message: 'Container app failed liveness probe', reason: 'LivenessProbe' },
    ],
    [
      'startup',
      { startupResults: failed },
      { id: 'app-0', name: 'app', message: 'Container app failed startup probe', reason: 'StartupProbe' },
    ],
  ])('restarts when its %s probe fails, or ends its pod with the policy Never', (_title, results, kill) => {
    for (const policy of ['Always', 'OnFailure'] as const) {
      expect(computePodActions({ pod: solo(policy), status: running(solo(policy)), ...results })).toEqual({
        ...nothing,
        containersToKill: [{ ...kill, message: `${kill.message}, will be restarted` }],
        containersToStart: [0],
      });
    }
    expect(computePodActions({ pod: solo('Never'), status: running(solo('Never')), ...results })).toEqual({
      ...nothing,
      killPod: true,
      containersToKill: [kill],
    });
  });

  it('keeps running with probes that succeed or are undecided', () => {
    for (const result of ['success', 'unknown'] as const) {
      const results = new Map([['app-0', result]]);
      const pod = solo('Always');
      expect(
        computePodActions({ pod, status: running(pod), livenessResults: results, startupResults: results }),
      ).toEqual(nothing);
    }
  });

  it('is replaced when its definition changed, whatever the policy', () => {
    const pod = solo('Never');
    const status = testRuntimePodStatus({ pod, containers: [{ name: 'app', hash: '0' }] });
    expect(computePodActions({ pod, status })).toMatchObject({
      killPod: false,
      containersToKill: [{ message: 'Container app definition changed, will be restarted' }],
      containersToStart: [0],
    });
  });

  it('is killed and replaced when its state is unknown, whatever the policy', () => {
    const pod = solo('Never');
    const status = testRuntimePodStatus({ pod, containers: [{ name: 'app', state: 'unknown' }] });
    const message = 'Container is in "unknown" state, try killing it before restart';
    expect(computePodActions({ pod, status })).toEqual({
      ...nothing,
      containersToKill: [{ id: 'app-0', name: 'app', message, reason: 'Unknown' }],
      containersToStart: [0],
    });
  });

  it('keeps its pod as long as it runs', () => {
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'web' }, { name: 'db' }] });
    const [web, db] = pod.spec!.containers;
    const status = testRuntimePodStatus({
      pod,
      containers: [
        { name: 'web', hash: containerHash(web!) },
        { name: 'db', hash: containerHash(db!), state: 'exited' },
      ],
    });
    expect(computePodActions({ pod, status })).toEqual(nothing);
  });
});
