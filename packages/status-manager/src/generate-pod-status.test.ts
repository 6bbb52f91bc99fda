import type { ContainerRestartRule, ContainerStatus, PodStatus, VolumeMount } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, type RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import { testContainerStatus, testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { findCondition } from './condition-types.ts';
import { generatePodStatus } from './generate-pod-status.ts';

const conditionOf = (status: PodStatus, type: string): unknown => findCondition(status.conditions, type);
const only = (statuses: readonly ContainerStatus[] | undefined): ContainerStatus => {
  expect(statuses).toHaveLength(1);
  return statuses![0]!;
};

describe('a pod that was just admitted', () => {
  it('is pending with containers in creation', () => {
    const pod = testPod({ uid: 'u' });
    const status = generatePodStatus({ pod, runtime: emptyRuntimePodStatus('u') });
    expect(status).toEqual({
      phase: 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False' },
        { type: 'Initialized', status: 'True' },
        {
          type: 'Ready',
          status: 'False',
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [app]',
        },
        {
          type: 'ContainersReady',
          status: 'False',
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [app]',
        },
        { type: 'PodScheduled', status: 'True' },
      ],
      containerStatuses: [
        {
          name: 'app',
          state: { waiting: { reason: 'ContainerCreating' } },
          lastState: {},
          ready: false,
          started: false,
          restartCount: 0,
          image: 'registry.example/app:1',
          imageID: '',
        },
      ],
      qosClass: 'BestEffort',
      resources: {},
    });
  });
});

describe('a pod without a spec', () => {
  it('is pending, without containers', () => {
    expect(generatePodStatus({ pod: {}, runtime: emptyRuntimePodStatus('u') })).toStrictEqual({
      phase: 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False' },
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: 'False', reason: 'UnknownContainerStatuses' },
        { type: 'ContainersReady', status: 'False', reason: 'UnknownContainerStatuses' },
        { type: 'PodScheduled', status: 'True' },
      ],
      qosClass: 'BestEffort',
      resources: {},
    });
    const runtime = testRuntimePodStatus({ pod: {}, containers: [{ name: 'stray' }] });
    expect(generatePodStatus({ pod: {}, runtime }).phase).toBe('Pending');
  });
});

describe('an ephemeral container', () => {
  const pod = testPod({ spec: { ephemeralContainers: [{ name: 'debugger', image: 'tools' }] } });

  it('is listed apart from other containers, and is never ready', () => {
    const absent = generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod }) });
    expect(only(absent.ephemeralContainerStatuses)).toMatchObject({
      name: 'debugger',
      state: { waiting: { reason: 'ContainerCreating' } },
      ready: false,
    });
    expect(only(absent.containerStatuses).name).toBe('app');
    const runtime = testRuntimePodStatus({ pod, containers: [{ name: 'app' }, { name: 'debugger' }] });
    const status = generatePodStatus({ pod, runtime });
    expect(only(status.ephemeralContainerStatuses)).toMatchObject({ name: 'debugger', ready: false });
    expect(only(status.ephemeralContainerStatuses).state?.running).toBeDefined();
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('a running pod', () => {
  it('is running and ready, with its addresses', () => {
    const pod = testPod({ metadata: { generation: 3 } });
    const status = generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod }), hostIps: ['192.0.2.1'] });
    expect(status).toMatchObject({
      phase: 'Running',
      hostIP: '192.0.2.1',
      hostIPs: [{ ip: '192.0.2.1' }],
      podIP: '10.88.0.2',
      podIPs: [{ ip: '10.88.0.2' }],
    });
    expect(conditionOf(status, 'Ready')).toEqual({ type: 'Ready', status: 'True', observedGeneration: 3 });
    expect(only(status.containerStatuses)).toMatchObject({
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      containerID: 'containerd://app-0',
      ready: true,
      started: true,
    });
  });

  it('has the addresses of the node in the host network', () => {
    const pod = testPod({ spec: { hostNetwork: true } });
    const runtime = testRuntimePodStatus({ pod, sandboxes: [{ hostNetwork: true, ips: [] }] });
    const status = generatePodStatus({ pod, runtime, hostIps: ['192.0.2.1', '2001:db8::1'] });
    expect(status.podIPs).toEqual([{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }]);
    expect(conditionOf(status, 'PodReadyToStartContainers')).toMatchObject({ status: 'True' });
  });

  it('shows user, mounts and resources of its containers', () => {
    const pod = testPod({
      containers: [
        {
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'etc', mountPath: '/etc/app', readOnly: true },
            { name: 'all', mountPath: '/all', readOnly: true, recursiveReadOnly: 'IfPossible' },
          ],
          resources: { requests: { cpu: '100m' } },
        },
      ],
    });
    const user = { uid: 1000, gid: 1000, supplementalGroups: [1000, 2000] };
    const runtime = testRuntimePodStatus({
      pod,
      containers: [{ user, resources: { cpuRequestMillis: 200 } }],
    });
    const container = only(generatePodStatus({ pod, runtime, recursiveReadOnlySupported: true }).containerStatuses);
    expect(container).toMatchObject({
      user: { linux: user },
      allocatedResources: { cpu: '100m' },
      resources: { requests: { cpu: '200m' } },
    });
    expect(container.volumeMounts).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'etc', mountPath: '/etc/app', readOnly: true, recursiveReadOnly: 'Disabled' },
      { name: 'all', mountPath: '/all', readOnly: true, recursiveReadOnly: 'Enabled' },
    ]);
  });

  it('shows pod-level resources', () => {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
    const pod = testPod({ spec: { resources } });
    const status = generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod }) });
    expect(status).toMatchObject({ resources, allocatedResources: { cpu: '1' }, qosClass: 'Burstable' });
  });
});

describe('an instance of a container', () => {
  const pod = testPod();
  const end = (containerID: string) => ({ terminated: { exitCode: 1, containerID } });
  const before = (more: Partial<ContainerStatus>): PodStatus => ({
    containerStatuses: [{ name: 'app', image: '', imageID: '', ready: false, restartCount: 1, ...more }],
  });
  const lastState = (previous: PodStatus): unknown =>
    only(
      generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod, containers: [{ restartCount: 1 }] }), previous })
        .containerStatuses,
    ).lastState;

  it('keeps its last state when the runtime has removed the previous instance', () => {
    const ended = { containerID: 'containerd://app-0', state: end('containerd://app-0') };
    expect(lastState(before(ended))).toEqual(end('containerd://app-0'));
    const itself = { containerID: 'containerd://app-1', state: { running: {} } };
    expect(lastState(before({ ...itself, lastState: end('containerd://app-0') }))).toEqual(end('containerd://app-0'));
    expect(lastState(before({ ...itself, lastState: end('containerd://app-1') }))).toEqual({});
  });

  it('keeps its reported mounts', () => {
    const volumeMounts = [{ name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Enabled' }];
    const mounted = testPod({ containers: [{ volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }] }] });
    const runtime = testRuntimePodStatus({ pod: mounted });
    const previous = before({ volumeMounts });
    expect(only(generatePodStatus({ pod: mounted, runtime, previous }).containerStatuses)).toMatchObject({
      volumeMounts,
    });
  });

  it('shows its stop signal if enabled', () => {
    const status = { ...testContainerStatus(), stopSignal: 'SIGUSR1' };
    const runtime = { ...testRuntimePodStatus({ pod }), containers: [status] };
    expect(only(generatePodStatus({ pod, runtime }).containerStatuses)).not.toHaveProperty('stopSignal');
    expect(only(generatePodStatus({ pod, runtime, stopSignals: true }).containerStatuses).stopSignal).toBe('SIGUSR1');
  });
});

describe('read-only mounts', () => {
  it.each<[VolumeMount['recursiveReadOnly'], VolumeMount['mountPropagation'], boolean | undefined, string]>([
    ['Enabled', undefined, true, 'Enabled'],
    ['IfPossible', 'None', true, 'Enabled'],
    ['Enabled', 'HostToContainer', true, 'Disabled'],
    ['Enabled', undefined, false, 'Disabled'],
    ['Enabled', undefined, undefined, 'Disabled'],
    ['Disabled', undefined, true, 'Disabled'],
    [undefined, undefined, true, 'Disabled'],
  ])('requested %s, propagation %s, supported %s: %s', (recursiveReadOnly, mountPropagation, supported, expected) => {
    const mount: VolumeMount = {
      name: 'data',
      mountPath: '/data',
      readOnly: true,
      ...(recursiveReadOnly !== undefined && { recursiveReadOnly }),
      ...(mountPropagation !== undefined && { mountPropagation }),
    };
    const pod = testPod({ containers: [{ volumeMounts: [mount] }] });
    const status = generatePodStatus({
      pod,
      runtime: emptyRuntimePodStatus('u'),
      recursiveReadOnlySupported: supported,
    });
    expect(only(status.containerStatuses).volumeMounts).toMatchObject([{ recursiveReadOnly: expected }]);
  });
});

describe('a container that could not be started', () => {
  const lastStartErrors = new Map([['app', { reason: 'ImagePullBackOff', message: 'Back-off pulling image' }]]);

  it('waits with the start error', () => {
    const pod = testPod();
    const runtime = testRuntimePodStatus({ pod, containers: [] });
    expect(only(generatePodStatus({ pod, runtime, lastStartErrors }).containerStatuses).state).toEqual({
      waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' },
    });
  });

  it('shows its termination as last state', () => {
    const pod = testPod();
    const runtime = testRuntimePodStatus({ pod, containers: [{ state: 'exited', exitCode: 1 }] });
    const status = generatePodStatus({ pod, runtime, lastStartErrors });
    expect(status.phase).toBe('Running');
    expect(only(status.containerStatuses)).toMatchObject({
      state: { waiting: { reason: 'ImagePullBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', containerID: 'containerd://app-0' } },
    });
  });

  it('is terminated when it will not be restarted', () => {
    const pod = testPod({ restartPolicy: 'Never' });
    const runtime = testRuntimePodStatus({ pod, containers: [{ state: 'exited', exitCode: 1 }] });
    const status = generatePodStatus({ pod, runtime, lastStartErrors });
    expect(status.phase).toBe('Failed');
    expect(only(status.containerStatuses).state?.terminated?.exitCode).toBe(1);
  });
});

describe('probes', () => {
  const pod = testPod({ containers: [{ readinessProbe: {}, startupProbe: {} }] });
  const runtime = testRuntimePodStatus({ pod });
  const generate = (
    started: boolean | undefined,
    ready: boolean | undefined,
    previous?: PodStatus,
  ): ContainerStatus => {
    const seen: string[] = [];
    const noting = (result: boolean | undefined) => (containerId: string) => {
      seen.push(containerId);
      return result;
    };
    const probes = { isStarted: noting(started), isReady: noting(ready) };
    const status = only(generatePodStatus({ pod, runtime, probes, previous }).containerStatuses);
    expect(new Set(seen)).toEqual(new Set(['containerd://app-0']));
    return status;
  };
  const startedBefore = (containerID: string): PodStatus => ({
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        image: '',
        imageID: '',
        containerID,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: {} },
      },
    ],
  });

  it.each<[started: boolean | undefined, ready: boolean | undefined, expected: [started: boolean, ready: boolean]]>([
    [undefined, undefined, [false, false]],
    [undefined, true, [false, false]],
    [false, true, [false, false]],
    [true, undefined, [true, false]],
    [true, false, [true, false]],
    [true, true, [true, true]],
  ])('startup %s, readiness %s: %j', (started, ready, expected) => {
    const status = generate(started, ready);
    expect([status.started, status.ready]).toEqual(expected);
  });

  it('keep an instance started until its first result after a restart of the agent', () => {
    expect(generate(undefined, true, startedBefore('containerd://app-0'))).toMatchObject({
      started: true,
      ready: true,
    });
    expect(generate(false, true, startedBefore('containerd://app-0'))).toMatchObject({ started: false, ready: false });
  });

  it('keep the readiness of an instance until its first result after a restart of the agent', () => {
    const before = startedBefore('containerd://app-0');
    expect(generate(undefined, undefined, before)).toMatchObject({ started: true, ready: true });
    expect(generate(undefined, false, before).ready).toBe(false);
    const [status] = before.containerStatuses!;
    const notReady = { ...before, containerStatuses: [{ ...status!, ready: false }] };
    expect(generate(undefined, undefined, notReady)).toMatchObject({ started: true, ready: false });
    expect(generate(true, undefined, startedBefore('containerd://app-former')).ready).toBe(false);
  });

  it('do not carry started over to the next instance', () => {
    expect(generate(undefined, true, startedBefore('containerd://app-former')).started).toBe(false);
  });

  it('keep a sidecar started until their first result after a restart of the agent', () => {
    const withSidecar = testPod({ initContainers: [{ name: 'side', restartPolicy: 'Always', startupProbe: {} }] });
    const generateSidecar = (previous?: PodStatus): ContainerStatus =>
      only(
        generatePodStatus({
          pod: withSidecar,
          runtime: testRuntimePodStatus({ pod: withSidecar, containers: [{ name: 'side' }] }),
          previous,
        }).initContainerStatuses,
      );
    const unstarted = generateSidecar();
    expect(unstarted.started).toBe(false);
    expect(generateSidecar({ initContainerStatuses: [{ ...unstarted, started: true }] }).started).toBe(true);
  });

  it('do not affect a container that is not running', () => {
    const exited = testRuntimePodStatus({ pod, containers: [{ state: 'exited' }] });
    const probes = { isStarted: () => true, isReady: () => true };
    expect(only(generatePodStatus({ pod, runtime: exited, probes }).containerStatuses)).toMatchObject({
      started: false,
      ready: false,
    });
  });
});

describe('readiness gates', () => {
  const generate = (conditions: PodStatus['conditions']): unknown => {
    const pod = testPod({
      spec: { readinessGates: [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }] },
      status: { conditions },
    });
    return conditionOf(generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod }) }), 'Ready');
  };

  it('keep a pod unready until their conditions are true', () => {
    expect(generate([{ type: 'example.com/b', status: 'False' }])).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message:
        'corresponding condition of pod readiness gate "example.com/a" does not exist., ' +
        'the status of pod readiness gate "example.com/b" is not "True", but False',
    });
    expect(
      generate([
        { type: 'example.com/a', status: 'True' },
        { type: 'example.com/b', status: 'True' },
      ]),
    ).toEqual({ type: 'Ready', status: 'True' });
  });
});

describe('conditions of other writers', () => {
  it('stay as the API has them, and come first', () => {
    const gate = { type: 'example.com/gate', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const resize = { type: 'PodResizePending', status: 'True', reason: 'Deferred' };
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' };
    const pod = testPod({
      status: { conditions: [{ type: 'Ready', status: 'True' }, gate, { ...target, reason: 'old' }] },
    });
    const status = generatePodStatus({
      pod,
      runtime: testRuntimePodStatus({ pod }),
      previous: { conditions: [target] },
      resizeConditions: [resize],
    });
    expect(status.conditions?.slice(0, 3)).toEqual([gate, target, resize]);
    expect(status.conditions?.map(({ type }) => type).slice(3)).toEqual([
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ]);
  });
});

describe('a terminal phase', () => {
  const pod = testPod();
  const runtime = testRuntimePodStatus({ pod });

  it('stays with its reason from the status manager', () => {
    const previous: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' };
    const status = generatePodStatus({ pod, runtime, previous });
    expect(status).toMatchObject(previous);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  it('stays as in the API after a restart of the agent', () => {
    const ended = testPod({ status: { phase: 'Succeeded' } });
    expect(generatePodStatus({ pod: ended, runtime }).phase).toBe('Succeeded');
    expect(generatePodStatus({ pod: ended, runtime, previous: { phase: 'Running' } }).phase).toBe('Succeeded');
    const evicted = generatePodStatus({ pod: ended, runtime, failure: { reason: 'Evicted', message: '' } });
    expect(evicted.phase).toBe('Succeeded');
    expect(evicted).not.toHaveProperty('reason');
  });

  it('is set when the agent terminates the pod', () => {
    const failure = {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    };
    expect(generatePodStatus({ pod, runtime, failure, previous: { phase: 'Running', reason: 'x' } })).toMatchObject({
      phase: 'Failed',
      ...failure,
    });
  });

  it('is set when all containers are stopped for good, whatever the restart policy', () => {
    const stopped = testRuntimePodStatus({ pod, containers: [{ state: 'exited', exitCode: 1 }] });
    expect(generatePodStatus({ pod, runtime: stopped, podIsTerminal: true }).phase).toBe('Failed');
    expect(generatePodStatus({ pod, runtime: stopped }).phase).toBe('Running');
  });

  it('includes the reason of a disruption', () => {
    const failure = { reason: 'Evicted', message: 'low on memory', disruption: 'low on memory' };
    const status = generatePodStatus({ pod: testPod({ metadata: { generation: 2 } }), runtime, failure });
    expect(conditionOf(status, 'DisruptionTarget')).toEqual({
      type: 'DisruptionTarget',
      observedGeneration: 2,
      status: 'True',
      reason: 'TerminationByKubelet',
      message: 'low on memory',
    });
  });

  it('does not change, even if containers get lost later', () => {
    const never = testPod({ restartPolicy: 'Never' });
    const lost = testRuntimePodStatus({ pod: never, containers: [{ state: 'exited', exitCode: 137 }] });
    expect(generatePodStatus({ pod: never, runtime: lost, previous: { phase: 'Succeeded' } }).phase).toBe('Succeeded');
  });

  it('drops the conditions of a resize', () => {
    const resizeConditions = [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }];
    const types = (podIsTerminal: boolean): (string | undefined)[] | undefined =>
      generatePodStatus({ pod, runtime, resizeConditions, podIsTerminal }).conditions?.map(({ type }) => type);
    const own = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
    expect(types(false)).toEqual(['PodResizePending', ...own]);
    expect(types(true)).toEqual(own);
  });

  it('drops reason and message of another phase', () => {
    const status = generatePodStatus({ pod, runtime, previous: { phase: 'Pending', reason: 'x', message: 'y' } });
    expect(status).not.toHaveProperty('reason');
    expect(status).not.toHaveProperty('message');
  });
});

describe('a pod with a sidecar that has not started', () => {
  const pod = testPod({
    initContainers: [{ name: 'side', restartPolicy: 'Always', startupProbe: {} }],
    containers: [{ name: 'app' }, { name: 'other' }],
  });
  const apps = [
    { name: 'app', state: 'exited' as const },
    { name: 'other', state: 'exited' as const },
  ];
  const phase = (...containers: Partial<RuntimeContainerStatus>[]): unknown =>
    generatePodStatus({
      pod,
      runtime: testRuntimePodStatus({ pod, containers: [{ name: 'side' }, ...containers] }),
      previous: {
        containerStatuses: apps.map(({ name }) => ({
          name,
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 0 } },
        })),
      },
    }).phase;

  it('is running once a regular container has an instance in the sandbox', () => {
    expect(phase(...apps)).toBe('Running');
    expect(phase()).toBe('Pending');
    expect(phase(...apps.map((app) => ({ ...app, sandboxId: 'sandbox-former' })))).toBe('Pending');
  });
});

describe('a restart of all containers in place', () => {
  const restartPolicyRules: ContainerRestartRule[] = [
    { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
  ];
  const pod = testPod({
    restartPolicy: 'Never',
    initContainers: [{ name: 'init' }],
    containers: [{ name: 'app' }, { name: 'source', restartPolicy: 'Never', restartPolicyRules }],
  });
  const running = testRuntimePodStatus({
    pod,
    containers: [{ name: 'source' }, { name: 'app' }, { name: 'init', state: 'exited' }],
  });
  const stopped = testRuntimePodStatus({
    pod,
    containers: [{ name: 'source', state: 'exited', exitCode: 42 }, { name: 'app' }, { name: 'init', state: 'exited' }],
  });
  const half = testRuntimePodStatus({ pod, containers: [{ name: 'source', state: 'exited', exitCode: 42 }] });
  const removed = testRuntimePodStatus({ pod, containers: [] });
  const restarted = testRuntimePodStatus({
    pod,
    containers: [{ name: 'init', id: { type: 'containerd', id: 'init-new' } }],
  });

  it('is a condition from the exit until no instance is left, and the pod keeps its phase and history', () => {
    const seen = [running, stopped, half, removed, restarted].reduce<PodStatus[]>((statuses, runtime) => {
      statuses.push(generatePodStatus({ pod, runtime, previous: statuses.at(-1) }));
      return statuses;
    }, []);
    const restarting = seen.map((status) => findCondition(status.conditions, 'AllContainersRestarting'));
    expect(restarting.map((condition) => condition?.status)).toEqual(['False', 'True', 'True', 'False', 'False']);
    expect(restarting[1]).toMatchObject({
      reason: 'RestartAllContainersStarted',
      message: 'container exited with restart policy rule',
    });
    expect(seen.map(({ phase }) => phase)).toEqual(['Running', 'Running', 'Running', 'Running', 'Pending']);
    expect(seen.map((status) => findCondition(status.conditions, 'Initialized')?.status)).toEqual(
      Array(5).fill('True'),
    );

    const app = (status: PodStatus | undefined): ContainerStatus | undefined =>
      status?.containerStatuses?.find(({ name }) => name === 'app');
    expect(app(seen[2])).toMatchObject({
      state: {
        waiting: {
          reason: 'RestartingAllContainers',
          message: 'The container is removed because RestartAllContainers in place',
        },
      },
      lastState: { terminated: { reason: 'RestartingAllContainers', exitCode: 137 } },
      restartCount: 1,
    });
    expect(app(seen[4])).toMatchObject({
      state: { waiting: { reason: 'PodInitializing' } },
      lastState: { terminated: { reason: 'RestartingAllContainers' } },
      restartCount: 1,
    });
    expect(seen[4]?.initContainerStatuses?.[0]).toMatchObject({
      containerID: 'containerd://init-new',
      restartCount: 1,
    });
  });

  it('can be requested for a pod without such a rule', () => {
    const other = testPod();
    const runtime = testRuntimePodStatus({ pod: other, containers: [] });
    const previous = generatePodStatus({ pod: other, runtime: testRuntimePodStatus({ pod: other }) });
    const reason = (isRestartRequested?: boolean): string | undefined =>
      only(generatePodStatus({ pod: other, runtime, previous, isRestartRequested }).containerStatuses).state?.waiting
        ?.reason;
    expect(reason(true)).toBe('RestartingAllContainers');
    expect(reason(false)).toBe('ContainerCreating');
    expect(reason()).toBe('ContainerCreating');
  });

  it('is not reported for the restart of a container on request', () => {
    const status = generatePodStatus({ pod, runtime: running, isRestartRequested: true });
    expect(findCondition(status.conditions, 'AllContainersRestarting')?.status).toBe('False');
  });

  it('adds no condition to other pods', () => {
    const other = testPod();
    const status = generatePodStatus({ pod: other, runtime: testRuntimePodStatus({ pod: other }) });
    expect(conditionOf(status, 'AllContainersRestarting')).toBeUndefined();
  });
});
