import type { PodEvictor, PodStatusContributor } from '@rxlet/agent-api/statuses';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { PodStatus } from '@rxlet/kube-api';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testContainerStatus, testPod, testSandboxStatus } from '@rxlet/pod-model/testing';
import type { ActuatedResources } from '@rxlet/runtime-manager';
import { describe, expect, it } from 'vitest';
import { noPodProbes } from './no-pod-probes.ts';
import { createReportStatus } from './report-status.ts';
import { createResizeOutcomes } from './resize-outcomes.ts';

const pod = testPod({ uid: 'uid-web', name: 'web' });
const running = {
  ...emptyRuntimePodStatus('uid-web', 'web', 'default'),
  containers: [testContainerStatus({ state: 'running' })],
  sandboxes: [testSandboxStatus({ state: 'ready' })],
};

function setup(
  evictors: readonly PodEvictor[],
  contributors: readonly PodStatusContributor[] = [],
  isResizeInProgress = async () => false,
  actuated: Partial<ActuatedResources> = {},
  hasRecursiveReadOnlyMounts = async () => false,
) {
  let status: PodStatus = {};
  return createReportStatus({
    journalStatus: { generated: () => undefined },
    restarts: { isRestarting: () => false },
    clock: createVirtualClock(),
    statusManager: {
      get: () => status,
      previousStatus: () => status,
      setPodStatus(_pod, next) {
        status = next;
        return true;
      },
    },
    runtimeManager: {
      actuatedResources: async () => ({ containers: new Map(), ...actuated }),
      isResizeInProgress,
      hasRecursiveReadOnlyMounts,
    },
    probes: noPodProbes,
    startLatency: { statusGenerated: () => undefined },
    startErrors: { forPod: () => new Map() },
    resizeOutcomes: createResizeOutcomes(noopEventRecorder),
    evictors,
    contributors,
    hostIps: [],
  });
}

const typesOf = ({ conditions = [] }: PodStatus): string[] => conditions.map(({ type }) => type);

describe('report status', () => {
  it('fails a pod for the first evictor that demands it, and passes the status to all of them', async () => {
    const seen: (string | undefined)[] = [];
    const statusSet: PodEvictor['statusSet'] = (_pod, { phase }) => void seen.push(phase);
    const report = setup([
      { name: 'quiet', shouldEvict: () => undefined, statusSet },
      { name: 'deadline', shouldEvict: () => ({ reason: 'DeadlineExceeded', message: 'too long' }), statusSet },
      { name: 'later', shouldEvict: () => ({ reason: 'Evicted', message: 'no disk' }) },
    ]);
    expect(await report(pod, running)).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'too long',
    });
    expect(seen).toEqual(['Failed', 'Failed']);
  });

  it('has PodResizeInProgress until the resources of the pod are in effect', async () => {
    let isInProgress = true;
    const report = setup([], [], async () => isInProgress);
    expect(typesOf(await report(pod, running))).toContain('PodResizeInProgress');
    isInProgress = false;
    expect(typesOf(await report(pod, running))).not.toContain('PodResizeInProgress');
  });

  it('shows recursive read-only mounts where the runtime handler of the pod supports them', async () => {
    const mount = { name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'IfPossible' };
    const [container] = pod.spec!.containers;
    const mounting = { ...pod, spec: { ...pod.spec!, containers: [{ ...container!, volumeMounts: [mount] }] } };
    const shown = async (isSupported: boolean) => {
      const report = setup([], [], undefined, {}, async () => isSupported);
      const { containerStatuses } = await report(mounting, running);
      return containerStatuses?.[0]?.volumeMounts?.[0]?.recursiveReadOnly;
    };
    expect([await shown(true), await shown(false)]).toEqual(['Enabled', 'Disabled']);
  });

  it('shows the pod-level resources that are in effect', async () => {
    const limits = (memory: string) => ({ requests: { memory }, limits: { memory } });
    const report = setup([], [], undefined, { pod: limits('32Mi') });
    const resized = testPod({ uid: 'uid-web', name: 'web', spec: { resources: limits('10Ki') } });
    expect(await report(resized, running)).toMatchObject({
      resources: limits('32Mi'),
      allocatedResources: { memory: '10Ki' },
    });
  });

  it('adds the conditions of contributors, and drops those that they no longer contribute', async () => {
    let isWarm = true;
    const report = setup(
      [],
      [
        {
          name: 'warmth',
          conditionTypes: ['example.com/Warm'],
          conditions: () => (isWarm ? [{ type: 'example.com/Warm', status: 'True' }] : []),
        },
      ],
    );
    expect(typesOf(await report(pod, running))).toContain('example.com/Warm');
    isWarm = false;
    const status = await report(pod, running);
    expect(typesOf(status)).not.toContain('example.com/Warm');
    expect(typesOf(status)).toContain('Ready');
  });
});
