import type { Container, Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testEpochNanos, testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import * as fc from 'fast-check';
import type { GeneratePodStatusInput } from '../generate-pod-status.ts';

const policy = fc.constantFrom('Always' as const, 'OnFailure' as const, 'Never' as const);
const probe = fc.option(fc.constant({ tcpSocket: { port: 80 } }), { nil: undefined });
const present = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

const containerSpec = (name: string): fc.Arbitrary<Container> =>
  fc
    .record({
      name: fc.constant(name),
      readinessProbe: probe,
      startupProbe: probe,
      resources: fc.constantFrom(undefined, { requests: { cpu: '100m' }, limits: { memory: '64Mi' } }),
      restartPolicy: fc.option(policy, { nil: undefined, freq: 3 }),
    })
    .map((container) => present(container) as Container);

const initSpec = (name: string): fc.Arbitrary<Container> =>
  fc
    .tuple(containerSpec(name), fc.boolean())
    .map(([{ restartPolicy: _, ...container }, sidecar]) =>
      sidecar ? { ...container, restartPolicy: 'Always' } : container,
    );

const annotations = (isStatic: boolean): Record<string, string> =>
  isStatic ? { 'kubernetes.io/config.source': 'file' } : {};

/** Pods with one to three regular containers and up to two init containers. */
export const arbitraryPod: fc.Arbitrary<Pod> = fc
  .record({
    restartPolicy: policy,
    isStatic: fc.boolean(),
    deleted: fc.boolean(),
    generation: fc.constantFrom(undefined, 1, 5),
    containers: fc.integer({ min: 1, max: 3 }).chain((count) => fc.tuple(...named('c', count).map(containerSpec))),
    initContainers: fc.integer({ min: 0, max: 2 }).chain((count) => fc.tuple(...named('i', count).map(initSpec))),
  })
  .map(({ restartPolicy, isStatic, deleted, generation, containers, initContainers }) =>
    testPod({
      restartPolicy,
      annotations: annotations(isStatic),
      containers,
      ...(initContainers.length > 0 && { initContainers }),
      metadata: {
        ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        ...(generation !== undefined && { generation }),
      },
    }),
  );

function named(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

const instance = (name: string, attempt: number): fc.Arbitrary<Partial<RuntimeContainerStatus>> =>
  fc
    .record({
      state: fc.constantFrom('created' as const, 'running' as const, 'exited' as const, 'unknown' as const),
      exitCode: fc.constantFrom(0, 1, 137),
    })
    .map(({ state, exitCode }) => ({
      name,
      state,
      exitCode: state === 'exited' ? exitCode : 0,
      restartCount: attempt,
      createdAtNanos: testEpochNanos + BigInt(attempt) * 10_000_000_000n,
    }));

/** Runtime status of a pod: up to two instances of each container, of consecutive attempts. */
export const arbitraryRuntime = (pod: Pod): fc.Arbitrary<RuntimePodStatus> => {
  const names = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  const instances = names.map((name) =>
    fc
      .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }))
      .chain(([first, count]) =>
        fc.tuple(...Array.from({ length: count }, (_, index) => instance(name, first + count - 1 - index))),
      ),
  );
  return fc
    .record({
      containers: fc.tuple(...instances),
      sandboxes: fc.constantFrom([], [{}], [{ state: 'notready' as const }]),
    })
    .map(({ containers, sandboxes }) =>
      testRuntimePodStatus({
        pod,
        sandboxes,
        containers: containers
          .flat()
          .sort((a, b) => Number((b.createdAtNanos ?? 0n) - (a.createdAtNanos ?? 0n)))
          .map((container) => ({
            id: { type: 'containerd', id: `${container.name}-${container.restartCount}` },
            ...container,
          })),
      }),
    );
};

/** Input of a generated status, without the previous one. */
export const arbitraryObservation = (pod: Pod): fc.Arbitrary<GeneratePodStatusInput> =>
  fc
    .record({
      runtime: arbitraryRuntime(pod),
      podIsTerminal: fc.boolean(),
      startError: fc.boolean(),
      ready: fc.constantFrom(true, false, undefined),
      started: fc.constantFrom(true, false, undefined),
    })
    .map(({ runtime, podIsTerminal, startError, ready, started }) => ({
      pod,
      runtime,
      podIsTerminal,
      lastStartErrors: new Map(startError ? [['c0', { reason: 'CrashLoopBackOff', message: 'back-off' }]] : []),
      hostIps: ['192.0.2.1', '2001:db8::1'],
      probes: { isReady: () => ready, isStarted: () => started },
    }));

/** Conditions of a pod, at most one of each type: the node agent's own, shared, and foreign ones. */
export const arbitraryConditions: fc.Arbitrary<readonly PodCondition[]> = fc.uniqueArray(
  fc
    .record({
      type: fc.constantFrom('Ready', 'Initialized', 'PodResizePending', 'DisruptionTarget', 'example.com/a', 'b'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constantFrom(undefined, 'X', 'Y'),
      lastTransitionTime: fc.constantFrom(undefined, '2026-01-01T00:00:00Z', '2026-01-01T00:00:09Z'),
    })
    .map(present),
  { selector: ({ type }) => type, maxLength: 6 },
);

const ips = fc.uniqueArray(fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'), { maxLength: 2 });

/** Any statuses, of the same pod or not. */
export const arbitraryStatus: fc.Arbitrary<PodStatus> = fc
  .record({
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    reason: fc.constantFrom(undefined, 'Evicted'),
    startTime: fc.constantFrom(undefined, '2026-01-01T00:00:00Z'),
    conditions: fc.option(arbitraryConditions, { nil: undefined }),
    podIPs: fc.option(
      ips.map((list) => list.map((ip) => ({ ip }))),
      { nil: undefined },
    ),
    hostIPs: fc.option(
      ips.map((list) => list.map((ip) => ({ ip }))),
      { nil: undefined },
    ),
    resources: fc.constantFrom(
      undefined,
      {},
      { requests: { cpu: '1' } },
      { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2' } },
    ),
    allocatedResources: fc.constantFrom(undefined, { cpu: '1' }, { memory: '1Gi' }),
    nominatedNodeName: fc.constantFrom(undefined, 'other'),
    resourceClaimStatuses: fc.constantFrom(undefined, [{ name: 'claim', resourceClaimName: 'x' }]),
    containerStatuses: fc.constantFrom(
      undefined,
      [{ name: 'a', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
      [{ name: 'a', image: 'i', imageID: '', ready: false, restartCount: 1, state: { waiting: { reason: 'X' } } }],
    ),
  })
  .map((status) => present(status) as PodStatus);
