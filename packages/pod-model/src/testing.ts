import type { Container, Pod } from '@rxlet/kube-api';
import { containerHash } from './container-hash.ts';
import type { RuntimeContainerStatus, RuntimePodStatus, RuntimeSandboxStatus } from './runtime-status.ts';
import { podUid } from './pod-names.ts';

export { manifestPod } from './test-manifest-pod.ts';

type PodSpec = NonNullable<Pod['spec']>;
type PodStatus = NonNullable<Pod['status']>;
type ObjectMeta = NonNullable<Pod['metadata']>;

/** Returns a container of a spec with a default name and image. */
export function testContainer(container: Partial<Container> = {}): Container {
  return { name: 'app', image: 'registry.example/app:1', ...container };
}

/** Fields of a {@link testPod}, with defaults. */
export interface TestPod {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Further metadata, such as a deletionTimestamp. */
  readonly metadata?: Partial<ObjectMeta>;
  readonly containers?: readonly Partial<Container>[];
  readonly initContainers?: readonly Partial<Container>[];
  readonly restartPolicy?: PodSpec['restartPolicy'];
  /** Further fields of the spec. */
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
}

/** Returns a pod; by default `web` in namespace `default` with one container `app`. */
export function testPod(pod: TestPod = {}): Pod {
  const { name = 'web', namespace = 'default', uid = `uid-${name}`, labels, annotations, status, initContainers } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...pod.metadata,
    },
    spec: {
      restartPolicy: pod.restartPolicy ?? 'Always',
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      ...(initContainers && { initContainers: initContainers.map(testContainer) }),
      containers: (pod.containers ?? [{}]).map(testContainer),
      ...pod.spec,
    },
    ...(status && { status }),
  };
}

/** Start time of test data, 2026-01-01T00:00:00Z, in nanoseconds since the epoch. */
export const testEpochNanos = 1_767_225_600_000_000_000n;

/** Returns the status of a container instance; by default of `app` running in `sandbox-0`, with matching id and times. */
export function testContainerStatus(status: Partial<RuntimeContainerStatus> = {}): RuntimeContainerStatus {
  const { name = 'app', state = 'running', restartCount = 0, createdAtNanos = testEpochNanos } = status;
  return {
    id: { type: 'containerd', id: `${name}-${restartCount}` },
    name,
    sandboxId: 'sandbox-0',
    state,
    createdAtNanos,
    startedAtNanos: state === 'created' ? 0n : createdAtNanos + 1_000_000n,
    finishedAtNanos: state === 'exited' ? createdAtNanos + 1_000_000_000n : 0n,
    exitCode: 0,
    reason: state === 'exited' ? (status.exitCode ? 'Error' : 'Completed') : '',
    message: '',
    image: 'registry.example/app:1',
    imageRef: 'sha256:0000000000000000000000000000000000000000000000000000000000000001',
    imageId: 'sha256:0000000000000000000000000000000000000000000000000000000000000001',
    hash: '',
    restartCount,
    logPath: `/var/log/pods/default_web_uid-web/${name}/${restartCount}.log`,
    mounts: [],
    ...status,
  };
}

/** Returns the status of a sandbox; by default ready with an IP. */
export function testSandboxStatus(status: Partial<RuntimeSandboxStatus> = {}): RuntimeSandboxStatus {
  const { attempt = 0 } = status;
  return {
    id: `sandbox-${attempt}`,
    attempt,
    state: 'ready',
    createdAtNanos: testEpochNanos,
    ips: ['10.88.0.2'],
    hostNetwork: false,
    hasNetworkStatus: true,
    runtimeHandler: '',
    ...status,
  };
}

/** Fields of a {@link testRuntimePodStatus}, with defaults. */
export interface TestRuntimePodStatus extends Omit<Partial<RuntimePodStatus>, 'sandboxes' | 'containers'> {
  /** Pod of the status. Its names and UID are copied; each of its regular containers runs by default. */
  readonly pod?: Pod;
  /** Newest first. Default: one ready sandbox. */
  readonly sandboxes?: readonly Partial<RuntimeSandboxStatus>[];
  /** Newest first. */
  readonly containers?: readonly Partial<RuntimeContainerStatus>[];
}

/** Returns the status of a pod; by default with a ready sandbox in which each regular container runs. */
export function testRuntimePodStatus(status: TestRuntimePodStatus = {}): RuntimePodStatus {
  const { pod = testPod(), sandboxes = [{}], containers, ...rest } = status;
  const sandboxStatuses = sandboxes.map(testSandboxStatus);
  const newest = sandboxStatuses[0];
  const running = (pod.spec?.containers ?? []).map((container): Partial<RuntimeContainerStatus> => ({
    name: container.name,
    hash: containerHash(container),
    ...(container.image !== undefined && { image: container.image }),
  }));
  return {
    uid: podUid(pod),
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
    ips: newest?.state === 'ready' ? newest.ips : [],
    sandboxes: sandboxStatuses,
    containers: (containers ?? running).map((container) =>
      testContainerStatus({ ...(newest && { sandboxId: newest.id }), ...container }),
    ),
    ...rest,
  };
}
