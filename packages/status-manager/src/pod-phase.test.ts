import type { ContainerState, ContainerStatus, PodPhase } from '@rxlet/kube-api';
import { type TestPod, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { podPhase } from './pod-phase.ts';

type Shown = 'waiting' | 'running' | 'ended' | 'failed' | 'retrying' | 'again' | 'unknown' | 'stateless';

const exit = (exitCode: number): ContainerState => ({ terminated: { exitCode } });

/** `retrying` and `again` wait for their next run after a failure and a success. */
const states: Record<Shown, Pick<ContainerStatus, 'state' | 'lastState'>> = {
  waiting: { state: { waiting: {} } },
  running: { state: { running: {} } },
  ended: { state: exit(0) },
  failed: { state: exit(1) },
  retrying: { state: { waiting: {} }, lastState: exit(1) },
  again: { state: { waiting: {} }, lastState: exit(0) },
  unknown: { state: {} },
  stateless: {},
};

const container = (name: string, shown: Shown, started = true): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  started: started && shown === 'running',
  ...states[shown],
});

interface Options {
  policy?: TestPod['restartPolicy'];
  terminal?: boolean;
  annotations?: Record<string, string>;
}

const phaseOfApps = (
  apps: readonly (Shown | undefined)[],
  { policy, terminal = false, annotations }: Options = {},
): PodPhase =>
  podPhase({
    pod: testPod({
      containers: apps.map((_, index) => ({ name: `app${index}` })),
      ...(policy && { restartPolicy: policy }),
      ...(annotations && { annotations }),
    }),
    statuses: apps.flatMap((shown, index) => (shown === undefined ? [] : [container(`app${index}`, shown)])),
    podIsTerminal: terminal,
    hasActiveRegularContainer: true,
  });

describe('the phase of a pod', () => {
  it.each<[policy: TestPod['restartPolicy'], apps: (Shown | undefined)[], phase: PodPhase]>([
    ['Always', ['waiting'], 'Pending'],
    ['Always', ['running'], 'Running'],
    ['Always', ['running', 'waiting'], 'Pending'],
    ['Always', ['running', undefined], 'Pending'],
    ['Always', ['running', 'unknown'], 'Pending'],
    ['Always', ['running', 'stateless'], 'Pending'],
    ['Always', ['running', 'failed'], 'Running'],
    ['Always', ['running', 'retrying'], 'Running'],
    ['Always', ['failed', 'failed'], 'Running'],
    ['Always', ['ended'], 'Running'],
    ['Always', [], 'Pending'],
    ['OnFailure', ['ended', 'ended'], 'Succeeded'],
    ['OnFailure', ['ended', 'failed'], 'Running'],
    ['OnFailure', ['ended', 'retrying'], 'Running'],
    ['Never', ['ended', 'ended'], 'Succeeded'],
    ['Never', ['ended', 'failed'], 'Failed'],
    ['Never', ['ended', 'again'], 'Failed'],
    ['Never', ['ended', 'running'], 'Running'],
  ])('with restart policy %s and containers %j is %s', (policy, apps, phase) => {
    expect(phaseOfApps(apps, { policy })).toBe(phase);
  });

  it('is terminal, regardless of the policy, once all containers are stopped and not restarted', () => {
    expect(phaseOfApps(['ended', 'failed'], { terminal: true })).toBe('Failed');
    expect(phaseOfApps(['ended', 'ended'], { terminal: true })).toBe('Succeeded');
  });

  it('is not terminal for a static pod, which restarts', () => {
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(phaseOfApps(['ended', 'failed'], { terminal: true, annotations })).toBe('Running');
  });

  it("follows a container's restart policy before that of the pod", () => {
    const pod = testPod({
      restartPolicy: 'Never',
      containers: [{ name: 'app0', restartPolicy: 'OnFailure' }, { name: 'app1' }],
    });
    const phase = (app0: Shown): PodPhase =>
      podPhase({
        pod,
        statuses: [container('app0', app0), container('app1', 'ended')],
        podIsTerminal: false,
        hasActiveRegularContainer: true,
      });
    expect(phase('failed')).toBe('Running');
    expect(phase('ended')).toBe('Succeeded');
  });
});

describe('the phase of a pod with init containers', () => {
  const phase = (policy: TestPod['restartPolicy'], init: Shown | undefined, app: Shown): PodPhase =>
    podPhase({
      pod: testPod({ restartPolicy: policy, initContainers: [{ name: 'init' }], containers: [{ name: 'app' }] }),
      statuses: [...(init === undefined ? [] : [container('init', init)]), container('app', app)],
      podIsTerminal: false,
      hasActiveRegularContainer: false,
    });

  it.each<[policy: TestPod['restartPolicy'], init: Shown | undefined, app: Shown, phase: PodPhase]>([
    ['Always', undefined, 'running', 'Pending'],
    ['Always', 'waiting', 'waiting', 'Pending'],
    ['Always', 'running', 'waiting', 'Pending'],
    ['Always', 'failed', 'waiting', 'Pending'],
    ['Always', 'retrying', 'waiting', 'Pending'],
    ['Always', 'ended', 'waiting', 'Pending'],
    ['Always', 'ended', 'running', 'Running'],
    ['OnFailure', 'failed', 'waiting', 'Pending'],
    ['Never', 'failed', 'waiting', 'Failed'],
    ['Never', 'retrying', 'waiting', 'Failed'],
  ])('with restart policy %s, init container %s and app %s is %s', (policy, init, app, expected) => {
    expect(phase(policy, init, app)).toBe(expected);
  });
});

describe('the phase of a pod with sidecars', () => {
  const phase = (
    sidecar: Shown | undefined,
    started: boolean,
    app: Shown,
    hasActiveRegularContainer: boolean,
  ): PodPhase =>
    podPhase({
      pod: testPod({
        restartPolicy: 'Never',
        initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }],
        containers: [{ name: 'app' }],
      }),
      statuses: [...(sidecar === undefined ? [] : [container('sidecar', sidecar, started)]), container('app', app)],
      podIsTerminal: false,
      hasActiveRegularContainer,
    });

  it.each<[sidecar: Shown | undefined, started: boolean, app: Shown, initialized: boolean, phase: PodPhase]>([
    ['running', true, 'running', true, 'Running'],
    ['running', false, 'running', true, 'Running'],
    ['running', false, 'running', false, 'Pending'],
    ['running', true, 'running', false, 'Running'],
    ['running', true, 'retrying', false, 'Running'],
    ['running', true, 'ended', true, 'Running'],
    ['failed', false, 'running', true, 'Running'],
    ['failed', false, 'ended', true, 'Succeeded'],
    ['failed', false, 'failed', true, 'Failed'],
    ['waiting', false, 'running', true, 'Pending'],
    ['retrying', false, 'running', true, 'Running'],
    ['stateless', false, 'running', true, 'Pending'],
    [undefined, false, 'running', true, 'Pending'],
  ])(
    'with a sidecar %s (started: %s), app %s, initialized %s is %s',
    (sidecar, started, app, initialized, expected) => {
      expect(phase(sidecar, started, app, initialized)).toBe(expected);
    },
  );
});
