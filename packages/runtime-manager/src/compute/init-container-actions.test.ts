import type { Container, Pod } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import type { RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions, type PodActionsInput } from './compute-pod-actions.ts';

const STATES = {
  created: { state: 'created' },
  running: {},
  done: { state: 'exited', exitCode: 0 },
  failed: { state: 'exited', exitCode: 1 },
  'OOM-killed': { state: 'exited', exitCode: 0, reason: 'OOMKilled' },
  unknown: { state: 'unknown' },
  changed: { hash: 'other' },
} as const satisfies Record<string, Partial<RuntimeContainerStatus>>;
type States = Readonly<Record<string, keyof typeof STATES>>;

interface Decision {
  /** Names of the init containers to start, in order. */
  readonly init?: readonly string[];
  /** Names of the regular containers to start. */
  readonly regular?: readonly string[];
  readonly killPod?: true;
  /** `name: reason: message` of the containers to kill. */
  readonly kill?: readonly string[];
}

function decide(pod: Pod, states: States, probes: Partial<PodActionsInput> = {}): Decision {
  const initContainers = pod.spec!.initContainers!;
  const containers = [...initContainers, ...pod.spec!.containers].flatMap((container) => {
    const state = states[container.name];
    return state === undefined ? [] : [{ name: container.name, hash: containerHash(container), ...STATES[state] }];
  });
  const actions = computePodActions({ pod, status: testRuntimePodStatus({ pod, containers }), ...probes });
  const { initContainersToStart: init, containersToStart: regular, containersToKill: kill, killPod } = actions;
  return {
    ...(init.length > 0 && { init: init.map((index) => initContainers[index]!.name) }),
    ...(regular.length > 0 && { regular: regular.map((index) => pod.spec!.containers[index]!.name) }),
    ...(kill.length > 0 && { kill: kill.map(({ name, reason, message }) => `${name}: ${reason}: ${message}`) }),
    ...(killPod && { killPod }),
  };
}

const pod = (restartPolicy: 'Always' | 'Never', proxy: Partial<Container> = {}): Pod =>
  testPod({
    restartPolicy,
    initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always', ...proxy }, { name: 'check' }],
    containers: [{ name: 'web' }, { name: 'db' }],
  });
const unknownKill = (name: string): string =>
  `${name}: Unknown: Init container is in "unknown" state, try killing it before restart`;
const all = ['web', 'db'];

describe('initialization', () => {
  it.each<[string, States, Decision]>([
    ['begins with the first init container', {}, { init: ['setup'] }],
    ['waits for a running init container', { setup: 'running' }, {}],
    ['continues after a finished init container', { setup: 'done' }, { init: ['proxy'] }],
    ['starts a created init container again', { setup: 'created' }, { init: ['setup'] }],
    ['continues beside a running sidecar', { setup: 'done', proxy: 'running' }, { init: ['check'] }],
    ['ends with the last init container', { setup: 'done', proxy: 'running', check: 'done' }, { regular: all }],
    ['counts all before the last started as finished', { proxy: 'running', check: 'done' }, { regular: all }],
    ['ignores a failure of one before the last started', { setup: 'failed', proxy: 'running', check: 'running' }, {}],
    ['is over with the first created regular container', { web: 'created' }, { init: ['proxy'], regular: all }],
    ['is over while one regular container runs', { db: 'running' }, { init: ['proxy'], regular: ['web'] }],
    ['begins again when all regular containers have exited', { web: 'done', db: 'failed' }, { init: ['setup'] }],
  ])('%s', (_title, states, decision) => {
    expect(decide(pod('Always'), states)).toEqual(decision);
  });

  it.each(['created', 'done', 'failed'] as const)(
    'begins again in a new sandbox when init containers that are %s could not be removed with the earlier one',
    (state) => {
      const left = ['setup', 'proxy', 'check'].map((name) => ({ name, sandboxId: 'earlier', ...STATES[state] }));
      const status = testRuntimePodStatus({
        pod: pod('Always'),
        sandboxes: [{ attempt: 1 }, { id: 'earlier', state: 'notready' }],
        containers: left,
      });
      const { initContainersToStart, containersToStart } = computePodActions({ pod: pod('Always'), status });
      expect([initContainersToStart, containersToStart]).toEqual([[0], []]);
    },
  );

  it.each<[keyof typeof STATES, (readonly string[])?]>([
    ['failed'],
    ['OOM-killed'],
    ['unknown', [unknownKill('setup')]],
  ])('repeats an init container that is %s, or fails the pod with the policy Never', (state, kill) => {
    expect(decide(pod('Always'), { setup: state })).toEqual({ init: ['setup'], ...(kill && { kill }) });
    expect(decide(pod('Never'), { setup: state })).toEqual({ killPod: true });
  });

  it('repeats an init container whose exit code has a rule that demands it', () => {
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] as const;
    const ruled = testPod({ initContainers: [{ name: 'setup', restartPolicy: 'Never', restartPolicyRules }] });
    expect(decide(ruled, { setup: 'failed' })).toEqual({ init: ['setup'] });
    expect(decide(ruled, { setup: 'unknown' })).toEqual({ killPod: true });
  });

  it('ends with a sidecar that comes last', () => {
    const last = testPod({
      initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
      containers: [{ name: 'web' }],
    });
    expect(decide(last, { setup: 'done', proxy: 'running' })).toEqual({ regular: ['web'] });
    expect(decide(last, { setup: 'done', proxy: 'failed' })).toEqual({ init: ['proxy'] });
  });
});

describe('a sidecar', () => {
  it.each(['failed', 'done', 'created'] as const)('restarts when it is %s, whatever the policy of the pod', (state) => {
    const proxy = { proxy: state } as const;
    expect(decide(pod('Never'), { setup: 'done', ...proxy })).toEqual({ init: ['proxy'] });
    expect(decide(pod('Never'), { ...proxy, check: 'running' })).toEqual({ init: ['proxy'] });
    expect(decide(pod('Never'), { ...proxy, check: 'done', web: 'running', db: 'done' })).toEqual({ init: ['proxy'] });
  });

  it('is replaced when its state is unknown, whatever the policy of the pod', () => {
    const decision = { init: ['proxy'], kill: [unknownKill('proxy')] };
    expect(decide(pod('Never'), { proxy: 'unknown', check: 'running' })).toEqual(decision);
  });

  it('is replaced when its definition changed', () => {
    const kill = ['proxy: : Init container proxy definition changed'];
    expect(decide(pod('Always'), { proxy: 'changed', check: 'running' })).toEqual({ init: ['proxy'], kill });
  });

  it('starts in the order of the spec with others that are missing', () => {
    const restartPolicy = 'Always';
    const sidecars = testPod({
      initContainers: ['c', 'a', 'b'].map((name) => ({ name, restartPolicy })),
      containers: [{ name: 'web' }],
    });
    expect(decide(sidecars, { web: 'running' })).toEqual({ init: ['c', 'a', 'b'] });
    expect(decide(sidecars, { a: 'failed', web: 'running' })).toEqual({ init: ['c', 'a', 'b'] });
  });

  const probe = { exec: { command: ['true'] } };
  const startupKill = ['proxy: StartupProbe: Init container proxy failed startup probe'];
  const livenessKill = ['proxy: LivenessProbe: Init container proxy failed liveness probe'];
  it.each<[string, Partial<Container>, 'success' | 'failure' | 'unknown' | undefined, Decision]>([
    ['holds initialization before its startup probe has a result', { startupProbe: probe }, undefined, {}],
    ['holds initialization while its startup probe is undecided', { startupProbe: probe }, 'unknown', {}],
    ['lets initialization continue after its startup probe', { startupProbe: probe }, 'success', { init: ['check'] }],
    [
      'is replaced when its startup probe fails',
      { startupProbe: probe },
      'failure',
      { init: ['proxy'], kill: startupKill },
    ],
    [
      'is replaced when its liveness probe fails',
      { livenessProbe: probe },
      'failure',
      { init: ['proxy', 'check'], kill: livenessKill },
    ],
    ['keeps running with its liveness probe', { livenessProbe: probe }, 'success', { init: ['check'] }],
    ['keeps running without a result of its liveness probe', { livenessProbe: probe }, undefined, { init: ['check'] }],
  ])('%s', (_title, container, result, decision) => {
    const results = new Map(result === undefined ? [] : [['proxy-0', result] as const]);
    const probes = container.startupProbe === undefined ? { livenessResults: results } : { startupResults: results };
    expect(decide(pod('Always', container), { setup: 'done', proxy: 'running' }, probes)).toEqual(decision);
  });
});

it('a regular container that was created in an earlier sandbox does not end the initialization of the new one', () => {
  const web = testPod({ spec: { initContainers: [{ name: 'setup' }], containers: [{ name: 'web' }] } });
  const startedIn = (sandboxId: string): readonly [init: readonly number[], regular: readonly number[]] => {
    const instance = (name: string, of: string): Partial<RuntimeContainerStatus> & { name: string } => ({
      name,
      state: 'created',
      sandboxId: of,
      hash: containerHash({ name }),
    });
    const status = testRuntimePodStatus({
      pod: web,
      containers: [instance('setup', 'new'), instance('web', sandboxId)],
    });
    const [sandbox] = status.sandboxes;
    const sandboxes = [
      { ...sandbox!, id: 'new', attempt: 1 },
      { ...sandbox!, id: 'old', attempt: 0, state: 'notready' as const },
    ];
    const actions = computePodActions({ pod: web, status: { ...status, sandboxes } });
    return [actions.initContainersToStart, actions.containersToStart];
  };
  expect(startedIn('old')).toEqual([[0], []]);
  expect(startedIn('new')).toEqual([[], [0]]);
});
