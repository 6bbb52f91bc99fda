import type { Container, ContainerResizePolicy, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import type { RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import { testContainer, testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePodActions, type PodActionsInput } from './compute-pod-actions.ts';
import { containerResize } from './container-resize.ts';
import type { PodActions } from './pod-actions.ts';

type Given = Partial<Container>;
const restart = (...names: string[]): ContainerResizePolicy[] =>
  names.map((resourceName) => ({ resourceName, restartPolicy: 'RestartContainer' }));
const requests = (cpu: string, memory: string): ResourceRequirements => ({ requests: { cpu, memory } });
const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

/** Decides about a pod of which all containers run, with what is on record of them by name. */
function decide(
  pod: Pod,
  records: Readonly<Record<string, ResourceRequirements>>,
  more: Partial<PodActionsInput> & { readonly states?: Readonly<Record<string, RuntimeContainerStatus['state']>> } = {},
): PodActions {
  const { states = {}, ...rest } = more;
  const containers = [...(pod.spec!.initContainers ?? []), ...pod.spec!.containers].map((container) => ({
    name: container.name,
    hash: containerHash(container),
    state: states[container.name] ?? 'running',
  }));
  return computePodActions({
    pod,
    status: testRuntimePodStatus({ pod, containers }),
    actuatedResources: new Map(Object.entries(records)),
    ...rest,
  });
}

describe('resize of a running container', () => {
  it.each<[string, Given, ResourceRequirements | undefined, PodActions['containersToUpdate'] | 'restart']>([
    ['as on record', { resources: both('1', '1Gi') }, both('1', '1Gi'), {}],
    ['the same amounts, written differently', { resources: both('1', '1Gi') }, both('1000m', '1024Mi'), {}],
    ['only CPU', { resources: both('2', '1Gi') }, both('1', '1Gi'), { cpu: ['app'] }],
    ['only the memory request', { resources: requests('1', '2Gi') }, requests('1', '1Gi'), { memory: ['app'] }],
    ['both', { resources: both('2', '1Gi') }, both('1', '2Gi'), { memory: ['app'], cpu: ['app'] }],
    ['a limit that is new', { resources: { limits: { cpu: '1' } } }, {}, { cpu: ['app'] }],
    ['a removed limit', {}, { limits: { memory: '1Gi' } }, { memory: ['app'] }],
    ['another resource', { resources: { limits: { 'hugepages-2Mi': '4Mi' } } }, {}, {}],
    ['below a thousandth of a CPU', { resources: requests('900u', '1Gi') }, requests('1m', '1Gi'), {}],
    ['no record, and nothing to have', {}, undefined, {}],
    ['no record', { resources: both('1', '1Gi') }, undefined, { memory: ['app'], cpu: ['app'] }],
    ['no record, with a restart', { resources: both('1', '1Gi'), resizePolicy: restart('cpu') }, undefined, 'restart'],
    ['a restart for CPU', { resources: both('2', '1Gi'), resizePolicy: restart('cpu') }, both('1', '1Gi'), 'restart'],
    [
      'a restart for what stays',
      { resources: both('2', '1Gi'), resizePolicy: restart('memory') },
      both('1', '1Gi'),
      { cpu: ['app'] },
    ],
    [
      'a restart brings what could change without',
      { resources: both('2', '2Gi'), resizePolicy: restart('memory') },
      both('1', '1Gi'),
      'restart',
    ],
    [
      'a policy that is spelled out',
      { resources: both('2', '1Gi'), resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] },
      both('1', '1Gi'),
      { cpu: ['app'] },
    ],
  ])('is decided for %s', (_, container, record, want) => {
    // The restart was requested by changing the resources, whatever the restart policy.
    const pod = testPod({ containers: [{ name: 'app', ...container }], restartPolicy: 'Never' });
    const actions = decide(pod, record === undefined ? {} : { app: record });
    const kill = {
      id: 'app-0',
      name: 'app',
      message: 'Container app resize requires restart',
      reason: '',
    };
    expect(actions).toEqual({
      killPod: false,
      createSandbox: false,
      sandboxId: 'sandbox-0',
      attempt: 0,
      containersToKill: want === 'restart' ? [kill] : [],
      containersToReset: [],
      ephemeralContainersToStart: [],
      initContainersToStart: [],
      containersToUpdate: want === 'restart' ? {} : want,
      updatePodResources: want === 'restart',
      containersToStart: want === 'restart' ? [0] : [],
    });
  });

  it('puts decreases of requests first, too', () => {
    const pod = testPod({ containers: [{ name: 'a', resources: requests('2', '1Gi') }, { name: 'b' }] });
    const records = { a: requests('1', '2Gi'), b: requests('1', '1Gi') };
    expect(decide(pod, records).containersToUpdate).toEqual({ memory: ['b', 'a'], cpu: ['b', 'a'] });
    const increases = testPod({ containers: ['a', 'b'].map((name) => ({ name, resources: requests('2', '2Gi') })) });
    const smaller = { a: requests('1', '1Gi'), b: requests('1', '1Gi') };
    expect(decide(increases, smaller).containersToUpdate).toEqual({ memory: ['a', 'b'], cpu: ['a', 'b'] });
  });

  it('is none when nothing changes', () => {
    const container = testContainer({ resources: both('1', '1Gi') });
    const containers = new Map([['app', both('1', '1Gi')]]);
    expect(containerResize(testPod({ containers: [container] }), container, { containers })).toBeUndefined();
  });

  it('is skipped without records of actuated resources', () => {
    const pod = testPod({ containers: [{ resources: both('1', '1Gi'), resizePolicy: restart('cpu') }] });
    expect(decide(pod, {}, { actuatedResources: undefined })).toMatchObject({
      containersToUpdate: {},
      containersToKill: [],
    });
  });

  it.each(['created', 'exited', 'unknown'] as const)('ignores a container that is %s', (state) => {
    const pod = testPod({ containers: [{ name: 'a', resources: both('1', '1Gi') }, { name: 'b' }] });
    const actions = decide(pod, { a: both('2', '1Gi'), b: {} }, { states: { a: state } });
    expect(actions).toMatchObject({ containersToStart: [0], containersToUpdate: {}, updatePodResources: false });
  });

  it('ignores a container that is killed for another reason', () => {
    const pod = testPod({ containers: [{ name: 'a', resources: both('1', '1Gi') }, { name: 'b' }] });
    const actions = decide(pod, { a: both('2', '1Gi'), b: {} }, { livenessResults: new Map([['a-0', 'failure']]) });
    expect(actions.containersToKill.map(({ message }) => message)).toEqual([
      'Container a failed liveness probe, will be restarted',
    ]);
    expect(actions.containersToUpdate).toEqual({});
  });

  it('updates decreases before increases for each resource', () => {
    const container = (name: string, cpu: string, memory: string): Given => ({ name, resources: both(cpu, memory) });
    const pod = testPod({
      containers: [container('a', '2', '1Gi'), container('b', '1', '2Gi'), container('c', '1', '1Gi')],
      initContainers: [{ ...container('s', '2', '2Gi'), restartPolicy: 'Always' }],
    });
    const records = { a: both('1', '2Gi'), b: both('2', '1Gi'), c: both('2', '2Gi'), s: both('1', '1Gi') };
    // Sidecars come before regular containers, and each decrease is put first.
    expect(decide(pod, records).containersToUpdate).toEqual({
      memory: ['c', 'a', 's', 'b'],
      cpu: ['c', 'b', 's', 'a'],
    });
  });
});

describe('resize of an init container', () => {
  const init = (more: Given): Pod =>
    testPod({
      initContainers: [{ name: 'init', resources: both('2', '1Gi'), ...more }],
      containers: [{ name: 'app' }],
    });
  const probe = { exec: { command: ['true'] } };
  const records = { init: both('1', '1Gi'), app: {} };

  it('updates a running init container before regular containers start', () => {
    const actions = decide(init({}), records, { states: { app: 'exited' } });
    expect(actions).toMatchObject({ containersToUpdate: { cpu: ['init'] }, containersToStart: [] });
  });

  it('ignores an init container before the current one', () => {
    expect(decide(init({}), records).containersToUpdate).toEqual({});
  });

  it('restarts a sidecar whose resize policy demands it', () => {
    const pod = init({ restartPolicy: 'Always', resizePolicy: restart('cpu') });
    expect(decide(pod, records)).toMatchObject({
      containersToKill: [{ name: 'init', message: 'Container init resize requires restart', reason: '' }],
      initContainersToStart: [0],
      containersToStart: [],
      containersToUpdate: {},
      updatePodResources: true,
    });
  });

  it.each<[string, Given, Partial<PodActionsInput>, PodActions['containersToUpdate']]>([
    ['changes', {}, {}, { cpu: ['init'] }],
    ['waits for the startup probe', { startupProbe: probe }, {}, {}],
    [
      'does not once the startup probe was passed',
      { startupProbe: probe },
      { startupResults: new Map([['init-0', 'success']]) },
      { cpu: ['init'] },
    ],
    ['waits for the first result of the liveness probe', { livenessProbe: probe }, {}, {}],
    [
      'takes any but a failure',
      { livenessProbe: probe },
      { livenessResults: new Map([['init-0', 'unknown']]) },
      { cpu: ['init'] },
    ],
    [
      'is not done in one that is killed',
      { livenessProbe: probe },
      { livenessResults: new Map([['init-0', 'failure']]) },
      {},
    ],
  ])('decides for a sidecar: %s', (_, more, input, want) => {
    expect(decide(init({ restartPolicy: 'Always', ...more }), records, input).containersToUpdate).toEqual(want);
  });
});

describe('resources of the pod as a whole', () => {
  const pod = (resources: ResourceRequirements, container: Given = {}): Pod =>
    testPod({ containers: [{ name: 'app', ...container }], spec: { resources } });
  const small = both('1', '1Gi');
  const large = both('2', '1Gi');

  it('update the pod and the containers without own limits when they change', () => {
    const actions = decide(pod(large), { app: {} }, { actuatedPodResources: small });
    expect(actions).toMatchObject({ updatePodLevelResources: true, containersToUpdate: { cpu: ['app'] } });
    const own = { resources: { limits: { cpu: '500m', memory: '64Mi' } } };
    const limited = decide(pod(large, own), { app: own.resources }, { actuatedPodResources: small });
    expect(limited).toMatchObject({ updatePodLevelResources: true, containersToUpdate: {} });
  });

  it.each<[string, ResourceRequirements]>([
    ['limits', { ...small, limits: large.limits! }],
    ['requests', { ...small, requests: large.requests! }],
  ])('update the pod when only its %s change', (_title, resources) => {
    const actions = decide(pod(resources), { app: {} }, { actuatedPodResources: small });
    expect(actions.updatePodLevelResources).toBe(true);
  });

  it('stay as they are without records of actuated resources', () => {
    const actions = decide(pod(large), {}, { actuatedResources: undefined, actuatedPodResources: small });
    expect(actions).not.toHaveProperty('updatePodLevelResources');
  });

  it('stay unchanged when the records of the pod or the container equal them', () => {
    for (const app of [{}, { limits: large.limits }]) {
      const actions = decide(pod(large), { app }, { actuatedPodResources: large });
      expect(actions).not.toHaveProperty('updatePodLevelResources');
      expect(actions.containersToUpdate).toEqual({});
    }
  });

  it('take effect again without a record, without restarts', () => {
    const actions = decide(pod(large, { resizePolicy: restart('cpu', 'memory') }), { app: {} });
    expect(actions).toMatchObject({ updatePodLevelResources: true, containersToKill: [], containersToUpdate: {} });
  });
});

describe('any resize', () => {
  const amount = fc.record(
    {
      cpu: fc.constantFrom('0', '1m', '100m', '1', '2'),
      memory: fc.constantFrom('0', '64Mi', '100M', '1Gi'),
    },
    { requiredKeys: [] },
  );
  const resources = fc.record({ requests: amount, limits: amount }, { requiredKeys: [] });
  const containers = fc.array(
    fc.record({
      resources,
      record: fc.option(resources, { nil: undefined }),
      policy: fc.subarray(['cpu', 'memory']),
    }),
    { minLength: 1, maxLength: 4 },
  );

  it('needs no further action after it was performed, and restarts only containers whose policy demands it', () => {
    fc.assert(
      fc.property(containers, (given) => {
        const named = given.map((container, index) => ({ ...container, name: `c${String(index)}` }));
        const pod = testPod({
          containers: named.map(({ name, policy, ...rest }) => ({
            name,
            resources: rest.resources,
            resizePolicy: restart(...policy),
          })),
        });
        const before = Object.fromEntries(
          named.flatMap(({ name, record }) => (record === undefined ? [] : [[name, record]])),
        );
        const { containersToKill, containersToUpdate, containersToStart } = decide(pod, before);
        const killed = containersToKill.map(({ name }) => name);
        expect(containersToStart.map((index) => `c${String(index)}`)).toEqual(killed);
        for (const name of killed) expect(named.find((one) => one.name === name)!.policy).not.toEqual([]);
        for (const [resource, names = []] of Object.entries(containersToUpdate)) {
          expect(new Set(names).size).toBe(names.length);
          for (const name of names) {
            expect(killed).not.toContain(name);
            expect(named.find((one) => one.name === name)!.policy).not.toContain(resource);
          }
        }
        const after = Object.fromEntries(named.map(({ name, ...rest }) => [name, rest.resources]));
        expect(decide(pod, after)).toMatchObject({ containersToKill: [], containersToUpdate: {} });
      }),
    );
  });
});
