import type { ContainerRestartRule, ContainerStatus, Pod } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { containerStatuses, type ContainerStatusesInput } from './container-statuses.ts';

type Instances = NonNullable<Parameters<typeof testRuntimePodStatus>[0]>['containers'];

const input = (
  pod: Pod,
  containers: Instances,
  more: Partial<ContainerStatusesInput> = {},
): ContainerStatusesInput => ({
  pod,
  runtime: testRuntimePodStatus({ pod, ...(containers && { containers }) }),
  lastStartErrors: new Map(),
  restartingAll: false,
  actuatedResources: new Map(),
  recursiveReadOnlySupported: false,
  stopSignals: false,
  ...more,
});
const before = (more: Partial<ContainerStatus>): ContainerStatus => ({
  name: 'app',
  image: 'registry.example/app:1',
  imageID: 'sha256:1',
  ready: false,
  restartCount: 0,
  lastState: {},
  ...more,
});
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const exited = (exitCode: number, containerID: string) => ({ terminated: { exitCode, reason: 'Error', containerID } });
const backOff = { reason: 'CrashLoopBackOff', message: 'back-off' };
const mustHaveCompleted = {
  terminated: {
    exitCode: 0,
    reason: 'Completed',
    message:
      'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
  },
};

describe('the order of statuses', () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const pod = testPod({ initContainers: named('z', 'a', 'm'), containers: named('z1', 'a10', 'a1', 'B') });

  it('is that of the spec for init containers, and by name in byte order for others', () => {
    const names = (kind: 'init' | 'regular'): string[] =>
      containerStatuses(kind, undefined, input(pod, [])).map(({ name }) => name);
    expect(names('init')).toEqual(['z', 'a', 'm']);
    expect(names('regular')).toEqual(['B', 'a1', 'a10', 'z1']);
  });
});

describe('the statuses of thousands of containers, which the author of a pod may write', () => {
  const named = (prefix: string) =>
    Array.from({ length: 30_000 }, (_none, index) => ({ name: `${prefix}${String(index)}` }));
  const pod = testPod({ initContainers: named('i'), containers: named('c') });

  it('take time linear in their number', () => {
    const statuses = (['init', 'regular'] as const).flatMap((kind) =>
      containerStatuses(kind, undefined, input(pod, [])),
    );
    expect(statuses.map(({ state }) => state?.waiting?.reason)).toEqual(Array(60_000).fill('PodInitializing'));
  });
});

describe('a container without an instance in the runtime', () => {
  const pod = testPod();
  const [lost] = containerStatuses('regular', [before({ state: running, restartCount: 2 })], input(pod, []));

  it('waits and counts as restarted when it was running', () => {
    expect(lost).toMatchObject({
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {
        terminated: {
          exitCode: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was deleted.  The container used to be Running',
        },
      },
      restartCount: 3,
    });
    expect(lost).not.toHaveProperty('containerID');
  });

  it('does so in a pod without metadata too', () => {
    const { spec } = pod;
    const previous = before({ state: running, restartCount: 2 });
    expect(containerStatuses('regular', [previous], input({ ...(spec && { spec }) }, []))).toEqual([lost]);
  });

  it('does not count as restarted in a terminating pod', () => {
    const deleted = testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const [status] = containerStatuses('regular', [before({ state: running, restartCount: 2 })], input(deleted, []));
    expect(status).toEqual({ ...lost, restartCount: 2 });
  });

  it('keeps its last state while it waits, without a further restart', () => {
    const again = before({ state: running, lastState: exited(3, 'containerd://app-0'), restartCount: 2 });
    const [status] = containerStatuses('regular', [again], input(pod, []));
    expect(status).toMatchObject({ lastState: again.lastState!, restartCount: 2 });
    expect(containerStatuses('regular', [lost!], input(pod, []))).toEqual([lost]);
  });

  it('keeps its status when it was terminated', () => {
    const ended = before({
      state: exited(3, 'containerd://app-0'),
      containerID: 'containerd://app-0',
      restartCount: 4,
    });
    expect(containerStatuses('regular', [ended], input(pod, []))).toEqual([ended]);
  });

  it('keeps waiting with its last state and restart count', () => {
    const waiting = before({
      state: { waiting: backOff },
      lastState: exited(3, 'containerd://app-0'),
      restartCount: 4,
    });
    const [status] = containerStatuses('regular', [waiting], input(pod, []));
    expect(status).toMatchObject({
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: waiting.lastState!,
      restartCount: 4,
    });
  });

  it('keeps waiting without a last state when it was never reported running', () => {
    for (const previous of [before({ state: { waiting: backOff } }), before({})]) {
      expect(containerStatuses('regular', [previous], input(pod, []))).toStrictEqual([
        {
          name: 'app',
          state: { waiting: { reason: 'ContainerCreating' } },
          lastState: {},
          ready: false,
          restartCount: 0,
          image: 'registry.example/app:1',
          imageID: '',
        },
      ]);
    }
  });

  it('has the image of the spec, if that has one', () => {
    const withoutImage: Pod = { spec: { containers: [{ name: 'app' }] } };
    expect(containerStatuses('regular', undefined, input(withoutImage, []))[0]?.image).toBe('');
  });

  it('keeps its last state when it cannot be started again', () => {
    const waiting = before({ state: { waiting: {} }, lastState: exited(3, 'containerd://app-0'), restartCount: 4 });
    const lastStartErrors = new Map([['app', backOff]]);
    const [status] = containerStatuses('regular', [waiting], input(pod, [], { lastStartErrors }));
    expect(status).toMatchObject({ state: { waiting: backOff }, lastState: waiting.lastState!, restartCount: 4 });
  });

  it('waits for init containers, if there are any', () => {
    const withInit = testPod({ initContainers: [{ name: 'init' }] });
    for (const kind of ['init', 'regular'] as const) {
      const [status] = containerStatuses(kind, undefined, input(withInit, []));
      expect(status?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    }
  });
});

describe('a container in an unknown state', () => {
  const pod = testPod();
  const unknown = input(pod, [{ state: 'unknown', restartCount: 1 }]);

  it('is terminated and counts as restarted when it was running', () => {
    const [status] = containerStatuses('regular', [before({ state: running, restartCount: 1 })], unknown);
    expect(status).toMatchObject({
      state: {
        terminated: {
          exitCode: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was terminated',
        },
      },
      restartCount: 2,
    });
  });

  it('has the reason of a restart of all containers', () => {
    const [status] = containerStatuses('regular', [before({ state: running })], { ...unknown, restartingAll: true });
    expect(status?.state?.terminated?.reason).toBe('RestartingAllContainers');
  });

  it('waits when it was not running', () => {
    const [status] = containerStatuses('regular', [before({ state: { waiting: {} }, restartCount: 1 })], unknown);
    expect(status).toMatchObject({ state: { waiting: {} }, restartCount: 1 });
  });
});

describe('the instances of a container', () => {
  const pod = testPod();
  const only = (previous: ContainerStatus | undefined, ...containers: NonNullable<Instances>): ContainerStatus =>
    containerStatuses('regular', previous && [previous], input(pod, containers))[0]!;

  it('appear as state and last state, without older ones', () => {
    const status = only(
      undefined,
      { restartCount: 2, state: 'created' },
      { restartCount: 1, state: 'exited', exitCode: 4, reason: '', message: 'bad' },
      { restartCount: 0, state: 'exited', exitCode: 5 },
    );
    expect(status).toMatchObject({ state: { waiting: {} }, containerID: 'containerd://app-2', restartCount: 2 });
    expect(status.state).toEqual({ waiting: {} });
    expect(status.lastState).toEqual({
      terminated: {
        exitCode: 4,
        message: 'bad',
        startedAt: '2026-01-01T00:00:00Z',
        finishedAt: '2026-01-01T00:00:01Z',
        containerID: 'containerd://app-1',
      },
    });
  });

  it('never decrease the restart count, and a run after a reported exit increases it', () => {
    const ended = before({ state: exited(1, 'containerd://gone'), containerID: 'containerd://gone', restartCount: 5 });
    expect(only(ended, { restartCount: 0 }).restartCount).toBe(6);
    expect(only(ended, { restartCount: 5 }).restartCount).toBe(6);
    expect(only(ended, { restartCount: 6 }).restartCount).toBe(6);
    expect(only(ended, { restartCount: 8 }).restartCount).toBe(8);
    expect(only(ended, { restartCount: 0, state: 'exited' }).restartCount).toBe(5);
    expect(only(before({ state: running, restartCount: 5 }), { restartCount: 0 }).restartCount).toBe(5);
  });

  it('never appear as their own last state', () => {
    const lostOnce = before({
      containerID: 'containerd://app-0',
      state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    });
    expect(only(lostOnce, {}).lastState).toEqual({});
  });

  it('keep resources reported during the same run, if the runtime reports none', () => {
    const limited = testPod({ containers: [{ resources: { limits: { memory: '1Gi' } } }] });
    const reported = { resources: { limits: { memory: '2Gi' } }, containerID: 'containerd://app-0', state: running };
    const limit = (previous: Partial<ContainerStatus>): unknown =>
      containerStatuses('regular', [before(previous)], input(limited, undefined))[0]?.resources?.limits?.['memory'];
    expect(limit(reported)).toBe('2Gi');
    expect(limit({ ...reported, containerID: 'containerd://app-9' })).toBe('1Gi');
    expect(limit({ ...reported, state: { waiting: {} } })).toBe('1Gi');
    const { state: _, ...stateless } = reported;
    expect(limit(stateless)).toBe('1Gi');
  });

  it('lack fields that neither the spec nor the runtime sets', () => {
    const plain = testPod({ containers: [{ volumeMounts: [] }] });
    const [status] = containerStatuses('regular', undefined, input(plain, [{}], { stopSignals: true }));
    expect(Object.keys(status!).toSorted()).toEqual(
      'containerID,image,imageID,lastState,name,ready,resources,restartCount,state'.split(','),
    );
    expect(status?.ready).toBe(false);
  });

  it('wait for their restart after a success too', () => {
    const lastStartErrors = new Map([['app', backOff]]);
    const [status] = containerStatuses('regular', undefined, input(pod, [{ state: 'exited' }], { lastStartErrors }));
    expect(status).toMatchObject({ state: { waiting: backOff }, lastState: { terminated: { exitCode: 0 } } });
  });

  it('keep started while they run', () => {
    const started = before({ state: running, started: true });
    expect(only(started, {}).started).toBe(true);
    expect(only({ ...started, started: false }, {}).started).toBe(false);
    expect(only(started, { state: 'exited' })).not.toHaveProperty('started');
    expect(only(undefined, {})).not.toHaveProperty('started');
  });
});

describe('an init container', () => {
  const pod = testPod({ initContainers: [{ name: 'init' }, { name: 'sidecar', restartPolicy: 'Always' }] });
  const lastStartErrors = new Map([['init', backOff]]);
  const init = (containers: Instances, more: Partial<ContainerStatusesInput> = {}): ContainerStatus =>
    containerStatuses('init', undefined, input(pod, containers, more))[0]!;

  it('is complete once it has succeeded, regardless of start errors', () => {
    const succeeded = init([{ name: 'init', state: 'exited' }], { lastStartErrors });
    expect(succeeded.state?.terminated?.exitCode).toBe(0);
    const failed = init([{ name: 'init', state: 'exited', exitCode: 1 }], { lastStartErrors });
    expect(failed).toMatchObject({ state: { waiting: backOff }, lastState: { terminated: { exitCode: 1 } } });
    const running = init([{ name: 'init' }], { lastStartErrors });
    expect(running.state?.running).toBeDefined();
  });

  it.each<['created' | 'running' | 'exited' | 'unknown', boolean]>([
    ['created', true],
    ['running', true],
    ['exited', true],
    ['unknown', false],
  ])('in an unknown state counts as completed when a regular one is %s: %s', (state, completed) => {
    expect(init([{ state }], { lastStartErrors }).state).toEqual(completed ? mustHaveCompleted : { waiting: backOff });
  });

  it('counts as completed when any regular one has an instance', () => {
    const several = testPod({ initContainers: [{ name: 'init' }], containers: [{ name: 'a' }, { name: 'b' }] });
    const [status] = containerStatuses('init', undefined, input(several, [{ name: 'b' }]));
    expect(status?.state).toEqual(mustHaveCompleted);
  });

  it('does not count as completed while it has an instance', () => {
    expect(init([{}, { name: 'init', state: 'created' }]).state).toEqual({ waiting: {} });
  });

  it('keeps its reported end', () => {
    const ended = before({ name: 'init', state: exited(1, 'containerd://init-0') });
    expect(containerStatuses('init', [ended], input(pod, [{}]))[0]).toEqual(ended);
  });

  it('does not count as completed when it is a sidecar, or all containers are restarted', () => {
    const [, sidecar] = containerStatuses('init', undefined, input(pod, [{}]));
    expect(sidecar?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(init([{}], { restartingAll: true }).state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });
});

describe('a container removed for a restart of all containers', () => {
  const restartPolicyRules: ContainerRestartRule[] = [
    { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
  ];
  const pod = testPod({ containers: [{ restartPolicy: 'Never', restartPolicyRules }] });
  const removed = (previous: Partial<ContainerStatus>): ContainerStatus =>
    containerStatuses('regular', [before(previous)], input(pod, [], { restartingAll: true }))[0]!;
  const restarting = {
    reason: 'RestartingAllContainers',
    message: 'The container is removed because RestartAllContainers in place',
  };

  it('waits, with its removal as last state and a restart', () => {
    const status = removed({ state: running, restartCount: 1, lastState: exited(3, 'containerd://app-0') });
    expect(status).toMatchObject({ state: { waiting: restarting }, restartCount: 2 });
    expect(status.lastState).toEqual({ terminated: { ...restarting, exitCode: 137 } });
    expect(status.imageID).toBe('');
  });

  it('keeps its status fields when it was terminated', () => {
    const ended = { state: exited(42, 'containerd://app-1'), containerID: 'containerd://app-1', restartCount: 1 };
    expect(removed(ended)).toMatchObject({
      containerID: 'containerd://app-1',
      imageID: 'sha256:1',
      state: { waiting: restarting },
      lastState: { terminated: { ...restarting, exitCode: 137 } },
      restartCount: 2,
    });
  });

  it('waits as well when it was reported without a state', () => {
    expect(removed({ restartCount: 1 })).toMatchObject({
      imageID: '',
      state: { waiting: restarting },
      restartCount: 2,
    });
  });

  it('is counted once', () => {
    const status = removed({ state: running });
    expect(removed({ ...status })).toMatchObject({ lastState: status.lastState!, restartCount: 1 });
  });
});
