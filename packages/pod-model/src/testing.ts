import type { Container, Pod } from '@rxlet/kube-api';
import { containerHash } from './container-hash.ts';
import type { RuntimeContainerStatus, RuntimePodStatus, RuntimeSandboxStatus } from './runtime-status.ts';

type PodSpec = NonNullable<Pod['spec']>;
type PodStatus = NonNullable<Pod['status']>;
type ObjectMeta = NonNullable<Pod['metadata']>;

/** A container of a spec with a name and an image; anything else as given. */
export function testContainer(container: Partial<Container> = {}): Container {
  return { name: 'app', image: 'registry.example/app:1', ...container };
}

/** What may be said of a {@link testPod}; what is not said gets a default. */
export interface TestPod {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** More metadata, e.g. a deletionTimestamp. */
  readonly metadata?: Partial<ObjectMeta>;
  readonly containers?: readonly Partial<Container>[];
  readonly initContainers?: readonly Partial<Container>[];
  readonly restartPolicy?: PodSpec['restartPolicy'];
  /** More of the spec. */
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
}

/** A pod `web` in namespace `default` with one container `app`, as far as nothing else is said. */
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
      ...(initContainers && { initContainers: initContainers.map(testContainer) }),
      containers: (pod.containers ?? [{}]).map(testContainer),
      ...pod.spec,
    },
    ...(status && { status }),
  };
}

/** The time test data begin at, 2026-01-01T00:00:00Z, in nanoseconds since the epoch. */
export const testEpochNanos = 1_767_225_600_000_000_000n;

/** A running instance of container `app` in sandbox `sandbox-0`; id and times follow from what is given. */
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

/** A ready sandbox with an IP. */
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

/** What may be said of a {@link testRuntimePodStatus}. */
export interface TestRuntimePodStatus extends Omit<Partial<RuntimePodStatus>, 'sandboxes' | 'containers'> {
  /** The pod it is of; its name, namespace, UID are taken over, and a running container for each regular one. */
  readonly pod?: Pod;
  /** Newest first; one ready sandbox when not given. */
  readonly sandboxes?: readonly Partial<RuntimeSandboxStatus>[];
  /** Newest first. */
  readonly containers?: readonly Partial<RuntimeContainerStatus>[];
}

/** The status of a pod that runs as it should: a ready sandbox, and each regular container running in it. */
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
    uid: pod.metadata?.uid ?? '',
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
