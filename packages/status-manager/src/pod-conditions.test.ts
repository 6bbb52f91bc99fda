import type { ContainerStatus, PodCondition, PodPhase } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import {
  allContainersRestartingCondition,
  containersReadyCondition,
  initializedCondition,
  readyCondition,
} from './pod-conditions.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const status = (name: string, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
});
const ready = (name: string): ContainerStatus => status(name, { ready: true, started: true });
const summary = ({ status, reason, message }: PodCondition): (string | undefined)[] => [status, reason, message];

describe('Initialized', () => {
  const pod = testPod({
    initContainers: [{ name: 'first' }, { name: 'side', restartPolicy: 'Always' }, { name: 'last' }],
    containers: named('app'),
  });
  const done = [ready('first'), ready('side'), ready('last')];
  const app = (state: ContainerStatus['state']): ContainerStatus => status('app', { ...(state && { state }) });
  const initialized = (
    statuses: readonly ContainerStatus[],
    phase: PodPhase = 'Pending',
    previous: PodCondition[] = [],
  ): unknown => summary(initializedCondition({ pod, statuses, phase }, { conditions: previous }));

  it('is unknown without statuses, except for a pod without init containers', () => {
    expect(initialized([])).toEqual(['False', 'UnknownContainerStatuses', undefined]);
    const simple = testPod({ containers: named('app') });
    expect(summary(initializedCondition({ pod: simple, statuses: [], phase: 'Pending' }, {}))[0]).toBe('True');
  });

  it('is true when init containers are completed and sidecars started', () => {
    expect(initialized(done)).toEqual(['True', undefined, undefined]);
    expect(initialized([ready('first'), status('side', { started: true }), ready('last')])).toEqual([
      'True',
      undefined,
      undefined,
    ]);
  });

  it('is false with the missing and incomplete containers in spec order', () => {
    const reason = 'ContainersNotInitialized';
    expect(initialized([status('last', { started: true }), status('side', { ready: true }), app({})])).toEqual([
      'False',
      reason,
      'containers with unknown status: [first], containers with incomplete status: [side last]',
    ]);
    expect(initialized([ready('side')])).toEqual(['False', reason, 'containers with unknown status: [first last]']);
    expect(initialized([...done.slice(1), status('first')])).toEqual([
      'False',
      reason,
      'containers with incomplete status: [first]',
    ]);
  });

  it('is true when a regular container has started, even if sidecars restart', () => {
    const begun = done.slice(0, 1);
    expect(initialized([...begun, app({ running: {} })])).toEqual(['True', undefined, undefined]);
    expect(initialized([...begun, app({ terminated: { exitCode: 1 } })])).toEqual(['True', undefined, undefined]);
    expect(initialized([...begun, app({ waiting: {} })])).toEqual([
      'False',
      'ContainersNotInitialized',
      expect.any(String),
    ]);
  });

  it('is true when any of the regular containers has started', () => {
    const several = testPod({ initContainers: named('init'), containers: named('a', 'b') });
    const statuses = [status('init'), status('a', { state: { waiting: {} } }), status('b', { state: { running: {} } })];
    expect(initializedCondition({ pod: several, statuses, phase: 'Pending' }, {}).status).toBe('True');
  });

  it('stays true', () => {
    const was = (status: string) => [{ type: 'Initialized', status }];
    expect(initialized([status('first')], 'Pending', was('True'))).toEqual(['True', undefined, undefined]);
    expect(initialized([status('first')], 'Pending', was('False'))).toEqual([
      'False',
      expect.any(String),
      expect.any(String),
    ]);
  });

  it('is true with reason PodCompleted in a succeeded pod with all statuses', () => {
    expect(initialized(done, 'Succeeded')).toEqual(['True', 'PodCompleted', undefined]);
    expect(initialized(done.slice(1), 'Succeeded')).toEqual(['False', 'ContainersNotInitialized', expect.any(String)]);
  });
});

describe('ContainersReady', () => {
  const pod = testPod({
    initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }],
    containers: named('b', 'a'),
  });
  const containersReady = (statuses: readonly ContainerStatus[], phase: PodPhase = 'Running'): unknown =>
    summary(containersReadyCondition({ pod, statuses, phase }));

  it('includes regular containers and sidecars, and no other init containers', () => {
    expect(containersReady([status('init'), ...['side', 'a', 'b'].map(ready)])).toEqual(['True', undefined, undefined]);
  });

  it('lists missing and unready containers in spec order', () => {
    expect(containersReady([status('a'), status('side')])).toEqual([
      'False',
      'ContainersNotReady',
      'containers with unknown status: [b], containers with unready status: [side a]',
    ]);
    expect(containersReady(['side', 'a'].map(ready))).toEqual([
      'False',
      'ContainersNotReady',
      'containers with unknown status: [b]',
    ]);
    expect(containersReady([])).toEqual(['False', 'UnknownContainerStatuses', undefined]);
  });

  it('is false in a terminal phase', () => {
    const all = ['side', 'a', 'b'].map(ready);
    expect(containersReady(all, 'Succeeded')).toEqual(['False', 'PodCompleted', undefined]);
    expect(containersReady(all, 'Failed')).toEqual(['False', 'PodFailed', undefined]);
    expect(containersReady(all.slice(1), 'Failed')).toEqual(['False', 'PodFailed', undefined]);
    expect(containersReady(all.slice(1), 'Succeeded')).toEqual(['False', 'ContainersNotReady', expect.any(String)]);
  });
});

describe('Ready', () => {
  const gates = [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }];
  const pod = testPod({ containers: named('app'), spec: { readinessGates: gates }, metadata: { generation: 2 } });
  const of = (statuses: readonly ContainerStatus[], conditions: readonly PodCondition[] | undefined): PodCondition =>
    readyCondition({ pod, statuses, phase: 'Running' }, conditions);

  it('requires every readiness gate, and describes each missing one', () => {
    expect(of([ready('app')], [{ type: 'example.com/b', status: 'Unknown' }])).toEqual({
      type: 'Ready',
      observedGeneration: 2,
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message:
        'corresponding condition of pod readiness gate "example.com/a" does not exist., the status of pod readiness gate "example.com/b" is not "True", but Unknown',
    });
    const passed = gates.map(({ conditionType }) => ({ type: conditionType, status: 'True' }));
    expect(of([ready('app')], passed)).toEqual({ type: 'Ready', observedGeneration: 2, status: 'True' });
  });

  it('has the reason of unready containers before readiness gates', () => {
    expect(of([status('app')], undefined)).toEqual({
      type: 'Ready',
      observedGeneration: 2,
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [app]',
    });
  });

  it('has no observed generation in a pod without generation', () => {
    const unnumbered = testPod({ containers: named('app'), metadata: { generation: 0 } });
    const condition = readyCondition({ pod: unnumbered, statuses: [ready('app')], phase: 'Running' }, []);
    expect(Object.keys(condition)).toEqual(['type', 'status']);
    const empty = readyCondition({ pod: {}, statuses: [ready('app')], phase: 'Running' }, []);
    expect(Object.keys(empty)).toEqual(['type', 'status']);
  });
});

describe('AllContainersRestarting', () => {
  const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }] as const;
  const pod = testPod({
    initContainers: named('init'),
    containers: [{ name: 'app', restartPolicy: 'Never', restartPolicyRules }],
  });
  const restarting = (phase: PodPhase, underWay: boolean, ...instances: string[]): unknown =>
    summary(
      allContainersRestartingCondition(
        pod,
        testRuntimePodStatus({ pod, containers: named(...instances) }),
        phase,
        underWay,
      )!,
    );
  const started = ['True', 'RestartAllContainersStarted', 'container exited with restart policy rule'];

  it('is true until no instance of an init or regular container is left', () => {
    expect(restarting('Running', true, 'app')).toEqual(started);
    expect(restarting('Running', true, 'init')).toEqual(started);
    expect(restarting('Running', true, 'debugger')).toEqual(['False', undefined, undefined]);
    expect(restarting('Running', true)).toEqual(['False', undefined, undefined]);
    expect(restarting('Running', false, 'app')).toEqual(['False', undefined, undefined]);
  });

  it('is false in a terminal phase', () => {
    expect(restarting('Failed', true, 'app')).toEqual(['False', 'PodFailed', undefined]);
    expect(restarting('Succeeded', true, 'app')).toEqual(['False', 'PodCompleted', undefined]);
  });
});
