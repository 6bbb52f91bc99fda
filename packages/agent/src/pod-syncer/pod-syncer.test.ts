import { createEventLog, noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import type { PodStatus } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, PodAnnotation, type RuntimePodStatus } from '@rxlet/pod-model';
import { testContainerStatus, testPod, testSandboxStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '../test-support/agent-bench.ts';
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

/** A syncer whose surroundings note what is done to them, in order. */
function setup(ports: Partial<PodSyncerPorts> = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const steps: string[] = [];
  let status: PodStatus = {};
  const note = (step: string): void => void steps.push(step);
  const syncer = createPodSyncer({
    runtime: createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs }).runtime,
    runtimeName: 'fake',
    runtimeState: { known: () => Promise.resolve(), runtimeProblem: () => undefined, networkProblem: () => undefined },
    events,
    logger: noopLogger,
    mirrorPods: { reconcile: () => Promise.resolve(note('mirror')) },
    runtimeManager: {
      syncPod: () => Promise.resolve({ results: [] }),
      killPod: () => Promise.resolve(note('kill')).then(() => ({ results: [] })),
      removePod: ({ name, namespace }) =>
        Promise.resolve(note(`remove ${name} ${namespace}`)).then(() => ({ results: [] })),
    },
    statusManager: {
      get: () => status,
      previousStatus: () => status,
      setPodStatus(_pod, next) {
        status = next;
        note(`status ${String(next.phase)} ${next.podIP ?? '-'}`);
        return true;
      },
      setReadyToStartContainers: () => note('sandbox ready'),
      terminatePod: () => note('terminated'),
    },
    prober: {
      addPod: () => note('probe'),
      removePod: () => note('probe no more'),
      stopLivenessAndStartup: () => note('probe readiness only'),
      livenessResults: () => new Map(),
      startupResults: () => new Map(),
      updateStatus: () => undefined,
      isReady: () => true,
      isStarted: () => true,
    },
    startLatency: { statusGenerated: () => undefined },
    terminationMessages: (_pod, given) => Promise.resolve(given),
    startErrors: { update: () => undefined, forPod: () => new Map(), forget: () => note('errors forgotten') },
    activeDeadlines: {
      failureOf: () => undefined,
      watch: () => undefined,
      forget: () => note('deadline forgotten'),
      [Symbol.dispose]: () => undefined,
    },
    syncAgain: () => note('again'),
    pleg: { requestRelist: () => note('look'), requestReinspect: () => note('look closer') },
    hostIps: [],
    ...ports,
  });
  return { syncer, steps, events };
}
const amendStatus = (status: PodStatus): PodStatus => status;

describe('the sync step', () => {
  it('tells the status first, then sees to the mirror, the probes and the containers', async () => {
    const { syncer, steps } = setup();
    expect(await syncer.syncPod({ pod, status: running, signal })).toEqual({ completed: false });
    expect(steps).toEqual(['status Running 10.0.0.1', 'mirror', 'probe']);
  });

  it('makes no mirror of a pod of an API', async () => {
    const { syncer, steps } = setup();
    await syncer.syncPod({ pod: apiPod, status: running, signal });
    expect(steps).not.toContain('mirror');
  });

  it('only tells the status of a pod that has ended', async () => {
    const { syncer, steps } = setup();
    const job = manifestPod('web', { restartPolicy: 'Never' });
    expect(await syncer.syncPod({ pod: job, status: stopped, signal })).toEqual({ completed: true });
    expect(steps).toEqual(['status Succeeded 10.0.0.1']);
  });

  it('starts nothing while a runtime or a network is missing, with the kubelet’s event', async () => {
    const { syncer, steps, events } = setup({
      runtimeState: {
        known: () => Promise.resolve(),
        runtimeProblem: () => undefined,
        networkProblem: () => 'cni config uninitialized',
      },
    });
    const message = 'network is not ready: cni config uninitialized';
    await expect(syncer.syncPod({ pod, status: running, signal })).rejects.toMatchObject({ message, transient: true });
    expect(steps).toEqual(['status Running 10.0.0.1']);
    expect(events.list()).toMatchObject([{ type: 'Warning', reason: 'NetworkNotReady', message }]);
    await syncer.syncPod({ pod: manifestPod('web', { hostNetwork: true }), status: running, signal });
    expect(steps).toContain('probe');
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

  it('ends what could restart it, stops it, and tells its end with the addresses it had', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatingPod({ ...request, amendStatus, signal });
    expect(steps).toEqual([
      'status Running 10.0.0.1',
      'probe readiness only',
      'kill',
      'look',
      'probe no more',
      'status Failed 10.0.0.1',
    ]);
  });

  it('writes no status for what only the runtime knows', async () => {
    const { syncer, steps } = setup();
    const held = { uid, name: 'web', namespace: 'default', containers: [], sandboxes: [] };
    const subject = { kind: 'runtime', pod: held } as const;
    await syncer.syncTerminatingPod({ ...request, subject, amendStatus, signal });
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    expect(steps.filter((step) => step.startsWith('status') || step === 'terminated')).toEqual([]);
    expect(steps).toContain('remove web default');
  });

  it('puts into each status what whoever ended the pod has to say', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatingPod({
      ...request,
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

  it('tells the end, removes what is left, and forgets the pod', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    expect(steps).toEqual([
      'status Succeeded 10.0.0.1',
      'remove web default',
      'look',
      'errors forgotten',
      'deadline forgotten',
      'terminated',
    ]);
  });

  it('leaves what has to stay, and is not done before all is removed', async () => {
    const { syncer, steps } = setup();
    await syncer.syncTerminatedPod({ subject, status: stopped, removeContent: false, signal });
    expect(steps).not.toContain('remove web default');
    const failing = setup({
      runtimeManager: {
        syncPod: () => Promise.reject(new Error()),
        killPod: () => Promise.reject(new Error()),
        removePod: () => Promise.resolve({ results: [], error: new Error('busy') as never }),
      },
    });
    const removal = failing.syncer.syncTerminatedPod({ subject, status: stopped, removeContent: true, signal });
    await expect(removal).rejects.toThrow('busy');
    expect(failing.steps).not.toContain('terminated');
  });
});
