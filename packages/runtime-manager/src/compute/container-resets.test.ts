import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.ts';
import { containerResets, withReplacements } from './container-resets.ts';
import type { PodActions } from './pod-actions.ts';

const restartsAll = {
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
} as const;

describe('containerResets', () => {
  const pod = testPod({
    initContainers: [{ name: 'setup' }],
    containers: [{ name: 'source', ...restartsAll }, { name: 'web' }],
  });

  it('removes every instance of the containers in the spec, the one whose exit demanded the restart last', () => {
    const status = testRuntimePodStatus({
      pod,
      containers: [
        { name: 'source', state: 'exited', exitCode: 42, restartCount: 1 },
        { name: 'source', state: 'exited', exitCode: 1 },
        { name: 'web' },
        { name: 'setup', state: 'exited' },
        { name: 'removed from the spec' },
      ],
    });
    expect(containerResets(pod, status)).toEqual([
      { id: 'source-0', name: 'source', kill: false },
      { id: 'web-0', name: 'web', kill: true },
      { id: 'setup-0', name: 'setup', kill: false },
      { id: 'source-1', name: 'source', kill: false },
    ]);
  });

  it('kills instances that have not exited, which demand no restart', () => {
    const containers = [{ name: 'source', state: 'unknown', exitCode: 42 } as const, { name: 'web' }];
    expect(containerResets(pod, testRuntimePodStatus({ pod, containers }))).toEqual([
      { id: 'source-0', name: 'source', kill: true },
      { id: 'web-0', name: 'web', kill: true },
    ]);
  });

  it('removes nothing of a pod without instances', () => {
    expect(containerResets(testPod(), testRuntimePodStatus({ containers: [] }))).toEqual([]);
  });
});

describe('withReplacements', () => {
  const pod = testPod({ containers: [{ name: 'web' }, { name: 'db' }], initContainers: [{ name: 'setup' }] });
  const status = testRuntimePodStatus({
    pod,
    containers: [{ name: 'web' }, { name: 'db' }, { name: 'setup', state: 'exited' }],
  });
  const actions: PodActions = {
    ...computePodActions({ pod, status }),
    containersToKill: [{ id: 'db-0', name: 'db', message: '', reason: '' }],
    ephemeralContainersToStart: [0],
    initContainersToStart: [0],
    containersToStart: [1],
    containersToUpdate: { cpu: ['web'] },
    updatePodResources: true,
    updatePodLevelResources: true,
  };

  it('removes the requested instances gracefully, and does nothing else', () => {
    expect(withReplacements(actions, pod, status, new Set(['web-0', 'setup-0']))).toStrictEqual({
      killPod: false,
      createSandbox: false,
      sandboxId: 'sandbox-0',
      attempt: 0,
      containersToKill: [],
      containersToReset: [
        { id: 'web-0', name: 'web', kill: true, isGraceful: true },
        { id: 'setup-0', name: 'setup', kill: false, isGraceful: true },
      ],
      ephemeralContainersToStart: [],
      initContainersToStart: [],
      containersToUpdate: {},
      updatePodResources: false,
      containersToStart: [],
    });
  });

  it.each([
    ['no instance is requested', actions, undefined],
    ['the requested instance no longer exists', actions, new Set(['web-7'])],
    ['the pod is killed', { ...actions, killPod: true }, new Set(['web-0'])],
    ['the pod gets another sandbox', { ...actions, createSandbox: true }, new Set(['web-0'])],
    [
      'all containers restart anyway',
      { ...actions, containersToReset: containerResets(pod, status) },
      new Set(['web-0']),
    ],
  ])('changes nothing if %s', (_title, given, ids) => {
    expect(withReplacements(given, pod, status, ids)).toBe(given);
  });
});
