import { PodRejectedError } from '@rxlet/agent-api';
import { noopJournal } from '@rxlet/agent-api/journal';
import { noopLogger, onAbort, seededRandom } from '@rxlet/component-base';
import { createEventLog, noopEventRecorder } from '@rxlet/component-base/events';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import type { PodStatus } from '@rxlet/kube-api';
import { PodAnnotation } from '@rxlet/pod-model';
import { emptyRuntimePodStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { manifestPod, testContainerStatus, testPod, testSandboxStatus } from '@rxlet/pod-model/testing';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import { describe, expect, it } from 'vitest';

import { noPodProbes } from './no-pod-probes.ts';
import { createPodSteps } from './pod-steps.ts';
import { createRestartRequests } from './restart-requests.ts';
import { createPodSyncer, type PodSyncerPorts } from './pod-syncer.ts';

const pod = manifestPod('web');
const uid = 'uid-web-1';
const { signal } = new AbortController();
const running: RuntimePodStatus = {
  ...emptyRuntimePodStatus(uid),
  name: 'web',
  namespace: 'default',
  ips: ['10.0.0.1'],
  containers: [testContainerStatus({ state: 'running' })],
  sandboxes: [testSandboxStatus({ state: 'ready' })],
};
const stopped: RuntimePodStatus = { ...running, containers: [testContainerStatus({ state: 'exited', exitCode: 0 })] };

/** A syncer whose ports record their calls, in order. */
function setup(ports: Partial<PodSyncerPorts> = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const steps: string[] = [];
  let status: PodStatus = {};
  const record = (step: string): void => void steps.push(step);
  const syncer = createPodSyncer({
    runtime: createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs }).runtime,
    runtimeName: () => 'fake',
    runtimeState: {
      isKnown: createCurrentValue(true),
      runtimeProblem: () => undefined,
      networkProblem: () => undefined,
    },
    clock,
    events,
    journal: noopJournal,
    restarts: createRestartRequests(),
    rejectPod: (_pod, { reason, message }) => record(`rejected: ${reason}: ${message}`),
    logger: noopLogger,
    podSteps: {
      prepare: () => Promise.resolve(record('prepare')).then(() => undefined),
      terminating: () => record('terminating'),
      prepareSandbox: () => Promise.resolve(record('prepare sandbox')),
      stopped: () => record('stopped'),
      release: () => Promise.resolve(record('release')),
      tearDown: () => Promise.resolve(record('tear down')),
    },
    runtimeManager: {
      actuatedResources: async () => ({ containers: new Map() }),
      isResizeInProgress: async () => false,
      hasRecursiveReadOnlyMounts: async () => false,
      syncPod: () => Promise.resolve(record('sync')).then(() => ({ results: [] })),
      killPod: () => Promise.resolve(record('kill')).then(() => ({ results: [] })),
      removePod: ({ name, namespace }) =>
        Promise.resolve(record(`remove ${name} ${namespace}`)).then(() => ({ results: [] })),
    },
    statusManager: {
      get: () => status,
      previousStatus: () => status,
      setPodStatus(_pod, next) {
        status = next;
        record(`status ${String(next.phase)} ${next.podIP ?? '-'}`);
        return true;
      },
      setReadyToStartContainers: () => record('sandbox ready'),
      terminatePod: () => record('terminated'),
    },
    probes: { ...noPodProbes, isReady: () => true, isStarted: () => true },
    startLatency: { statusGenerated: () => undefined },
    startErrors: { update: () => undefined, forPod: () => new Map(), forget: () => record('errors forgotten') },
    evictors: [],
    contributors: [],
    requestSync: () => record('again'),
    pleg: { requestRelist: () => record('look'), requestReinspect: () => record('relist') },
    hostIps: [],
    ...ports,
  });
  return { syncer, steps, events, clock };
}
const amendStatus = (status: PodStatus): PodStatus => status;

describe('the sync step', () => {
  it('reports the status first, then prepares the pod and syncs its containers', async () => {
    const { syncer, steps } = setup();
    expect(await syncer.syncPod({ pod, status: running, signal })).toEqual({ completed: false, unchanged: true });
    expect(steps).toEqual(['status Running 10.0.0.1', 'prepare', 'sync']);
  });

  it('syncs no containers of a pod that cannot be prepared', async () => {
    const error = new Error('no such volume');
    const { syncer, steps } = setup({
      podSteps: createPodSteps([{ name: 'volumes', prepare: () => Promise.reject(error) }], {
        clock: createVirtualClock(),
        events: noopEventRecorder,
        journal: noopJournal,
        logger: noopLogger,
      }),
    });
    expect(await syncer.syncPod({ pod, status: running, signal })).toEqual({
      completed: false,
      unchanged: true,
      error,
    });
    expect(steps).toEqual(['status Running 10.0.0.1']);
  });

  it('ends a pod that a step rejects for good', async () => {
    const { syncer, steps, events } = setup({
      podSteps: createPodSteps(
        [
          {
            name: 'volumes',
            prepare: () => Promise.reject(new PodRejectedError('VolumeAttachmentLimitExceeded', 'too many volumes')),
          },
        ],
        { clock: createVirtualClock(), events: noopEventRecorder, journal: noopJournal, logger: noopLogger },
      ),
    });
    expect(await syncer.syncPod({ pod, status: running, signal })).toEqual({ completed: true, unchanged: true });
    expect(steps).toEqual(['status Running 10.0.0.1', 'rejected: VolumeAttachmentLimitExceeded: too many volumes']);
    expect(events.list()).toEqual([]);
  });

  it('only reports the status of a pod that has completed', async () => {
    const { syncer, steps } = setup();
    const job = manifestPod('web', { restartPolicy: 'Never' });
    expect(await syncer.syncPod({ pod: job, status: stopped, signal })).toEqual({ completed: true, unchanged: true });
    expect(steps).toEqual(['status Succeeded 10.0.0.1']);
  });

  it('starts nothing while a runtime or a network is missing, with the kubelet’s event', async () => {
    const { syncer, steps, events } = setup({
      runtimeState: {
        isKnown: createCurrentValue(true),
        runtimeProblem: () => undefined,
        networkProblem: () => 'cni config uninitialized',
      },
    });
    const message = 'network is not ready: cni config uninitialized';
    expect(await syncer.syncPod({ pod, status: running, signal })).toMatchObject({
      completed: false,
      unchanged: true,
      error: { message, transient: true },
    });
    expect(steps).toEqual(['status Running 10.0.0.1']);
    expect(events.list()).toMatchObject([{ type: 'Warning', reason: 'NetworkNotReady', message }]);
    await syncer.syncPod({ pod: manifestPod('web', { hostNetwork: true }), status: running, signal });
    expect(steps).toContain('sync');
  });
});

/** The phase of a static pod stays: it may come back. */
const apiPod = testPod({ uid, annotations: { [PodAnnotation.configSource]: 'api' } });

describe('the terminating step', () => {
  const request = {
    subject: { kind: 'pod', pod: apiPod },
    status: running,
    reason: 'deleted',
    gracePeriodSeconds: 3,
  } as const;

  it('stops its probes and containers, and reports its end with its last addresses', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatingPod({ ...request, runPreStop: true, amendStatus, signal });
    expect(steps).toEqual([
      'status Running 10.0.0.1',
      'terminating',
      'kill',
      'look',
      'stopped',
      'release',
      'status Failed 10.0.0.1',
    ]);
  });

  it('reports no end before the resources of the pod are released', async () => {
    const clock = createVirtualClock();
    const release = () => Promise.reject(new Error('the driver is busy'));
    const podSteps = createPodSteps([{ name: 'claims', release }], {
      clock,
      events: createEventLog(clock),
      journal: noopJournal,
      logger: noopLogger,
    });
    const { syncer, steps } = setup({ podSteps });
    const step = syncer.syncTerminatingPod({ ...request, runPreStop: true, amendStatus, signal });
    await expect(step).rejects.toThrow('the driver is busy');
    expect(steps).toEqual(['status Running 10.0.0.1', 'kill', 'look']);
  });

  it('reports no status of an orphaned pod', async () => {
    const { syncer, steps } = setup();
    const held = { uid, name: 'web', namespace: 'default', containers: [], sandboxes: [] };
    const subject = { kind: 'runtime', pod: held } as const;
    await syncer.syncTerminatingPod({ ...request, runPreStop: true, subject, amendStatus, signal });
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    expect(steps.filter((step) => step.startsWith('status') || step === 'terminated')).toEqual([]);
    expect(steps).toContain('remove web default');
  });

  it('stops an orphaned pod as the kubelet does: without its preStop hooks', async () => {
    const killed: unknown[] = [];
    const { syncer } = setup({
      runtimeManager: {
        actuatedResources: async () => ({ containers: new Map() }),
        isResizeInProgress: async () => false,
        hasRecursiveReadOnlyMounts: async () => false,
        syncPod: () => Promise.reject(new Error()),
        killPod: (given, _status, options) => {
          killed.push([given?.metadata, given?.spec, options?.gracePeriodSeconds]);
          return Promise.resolve({ results: [] });
        },
        removePod: () => Promise.reject(new Error()),
      },
    });
    const orphan = { uid, name: 'web', namespace: 'default', containers: [], sandboxes: [] };
    const subject = { kind: 'runtime', pod: orphan } as const;
    await syncer.syncTerminatingPod({
      ...request,
      runPreStop: true,
      subject,
      gracePeriodSeconds: 1,
      amendStatus,
      signal,
    });
    expect(killed).toEqual([[{ uid, name: 'web', namespace: 'default' }, { containers: [{ name: 'app' }] }, 1]]);
  });

  it('reports with the kubelet’s event that a pod cannot be stopped', async () => {
    const { syncer, events } = setup({
      runtimeManager: {
        actuatedResources: async () => ({ containers: new Map() }),
        isResizeInProgress: async () => false,
        hasRecursiveReadOnlyMounts: async () => false,
        syncPod: () => Promise.reject(new Error()),
        killPod: () => Promise.resolve({ results: [], error: new Error('stuck') as never }),
        removePod: () => Promise.reject(new Error()),
      },
    });
    await expect(syncer.syncTerminatingPod({ ...request, runPreStop: true, amendStatus, signal })).rejects.toThrow(
      'stuck',
    );
    expect(events.list()).toMatchObject([
      { type: 'Warning', reason: 'FailedKillPod', message: 'error killing pod: stuck' },
    ]);
  });

  it('adds the cause of the termination to each status', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatingPod({
      ...request,
      runPreStop: true,
      amendStatus: (status) => ({ ...status, phase: 'Failed', podIP: 'evicted' }),
      signal,
    });
    expect(steps.filter((step) => step.startsWith('status'))).toEqual([
      'status Failed evicted',
      'status Failed evicted',
    ]);
  });
});

describe('the terminated step', () => {
  const subject = { kind: 'pod', pod: apiPod } as const;

  it('reports the end, removes the contents, and forgets the pod', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    expect(steps).toEqual([
      'status Succeeded 10.0.0.1',
      'tear down',
      'remove web default',
      'look',
      'errors forgotten',
      'terminated',
    ]);
  });

  it('keeps the contents of a pod that was not deleted', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: false, signal });
    expect(steps).not.toContain('remove web default');
  });

  it.each<[string, RuntimeManager['removePod']]>([
    ['fails', () => Promise.resolve({ results: [], error: new Error('busy') as never })],
    [
      'hangs',
      (_status, { signal: bounded } = {}) =>
        new Promise((_resolve, reject) => onAbort(bounded, () => reject(new Error('busy')))),
    ],
  ])('ends although the removal of the contents %s, with an event', async (_case, removePod) => {
    const { syncer, steps, events, clock } = setup({
      runtimeManager: {
        actuatedResources: async () => ({ containers: new Map() }),
        isResizeInProgress: async () => false,
        hasRecursiveReadOnlyMounts: async () => false,
        syncPod: () => Promise.reject(new Error()),
        killPod: () => Promise.reject(new Error()),
        removePod,
      },
    });
    const end = syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    await clock.advance(30_000);
    await end;
    expect(steps).toContain('terminated');
    expect(events.list()).toMatchObject([
      {
        type: 'Warning',
        reason: 'FailedKillPod',
        message: 'error removing pod after it stopped, will be retried: busy',
        object: { name: apiPod.metadata?.name, uid },
      },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });
});
