import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import {
  ContainerSchema,
  ContainerState,
  type ContainerStatus,
  ContainerStatusSchema,
  NamespaceMode,
  PodSandboxSchema,
  PodSandboxState,
  type PodSandboxStatus,
  PodSandboxStatusSchema,
} from '@rxlet/cri-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertContainerStatus, convertSandboxStatus, groupRuntimePods } from './runtime-convert.ts';
import { RuntimeResponseError } from './runtime-error.ts';

/** The fields of a message that are set. */
type Init<Desc extends DescMessage> = Exclude<MessageInitShape<Desc>, MessageShape<Desc>>;

const podLabels = (uid: string): Record<string, string> => ({
  'io.kubernetes.pod.uid': uid,
  'io.kubernetes.pod.name': `pod-${uid}`,
  'io.kubernetes.pod.namespace': 'default',
});
const sandbox = (id: string, uid: string, more: Init<typeof PodSandboxSchema> = {}) =>
  create(PodSandboxSchema, {
    id,
    metadata: { uid, name: `pod-${uid}`, namespace: 'default', attempt: 0 },
    createdAt: 1n,
    labels: podLabels(uid),
    ...more,
  });
const container = (id: string, uid: string, more: Init<typeof ContainerSchema> = {}) =>
  create(ContainerSchema, {
    id,
    podSandboxId: 'sandbox',
    metadata: { name: 'app', attempt: 0 },
    image: { image: 'nginx' },
    imageRef: 'sha256:1',
    state: ContainerState.CONTAINER_RUNNING,
    createdAt: 1n,
    labels: { ...podLabels(uid), 'io.kubernetes.container.name': 'app' },
    ...more,
  });

describe('groupRuntimePods', () => {
  it('puts together what belongs to one pod', () => {
    const annotations = { 'io.kubernetes.container.hash': 'ab12' };
    const [pod, ...rest] = groupRuntimePods(
      [sandbox('s', 'u', { state: PodSandboxState.SANDBOX_READY })],
      [container('c', 'u', { annotations, metadata: { name: 'app', attempt: 3 }, createdAt: 7n })],
      'containerd',
    );
    expect(rest).toEqual([]);
    expect(pod).toEqual({
      uid: 'u',
      name: 'pod-u',
      namespace: 'default',
      sandboxes: [{ id: 's', attempt: 0, state: 'ready', createdAtNanos: 1n }],
      containers: [
        {
          id: { type: 'containerd', id: 'c' },
          name: 'app',
          sandboxId: 'sandbox',
          state: 'running',
          hash: 'ab12',
          attempt: 3,
          createdAtNanos: 7n,
          image: 'nginx',
          imageRef: 'sha256:1',
        },
      ],
    });
  });

  it('keeps containers whose sandbox is gone', () => {
    expect(groupRuntimePods([], [container('c', 'u')], 'r')).toMatchObject([
      { uid: 'u', name: 'pod-u', namespace: 'default', sandboxes: [], containers: [{ name: 'app' }] },
    ]);
  });

  it("leaves out what is not a kubelet's", () => {
    const sandboxes = [sandbox('s', 'u', { labels: {} }), sandbox('s', 'u', { metadata: undefined }), sandbox('', 'u')];
    const containers = [
      container('c', 'u', { labels: {} }),
      container('c', 'u', { labels: podLabels('u') }),
      container('c', 'u', { metadata: undefined }),
      container('', 'u'),
    ];
    expect(groupRuntimePods(sandboxes, containers, 'r')).toEqual([]);
  });

  it.each([
    [ContainerState.CONTAINER_CREATED, 'created'],
    [ContainerState.CONTAINER_EXITED, 'exited'],
    [ContainerState.CONTAINER_UNKNOWN, 'unknown'],
    [99 as ContainerState, 'unknown'],
  ])('reads container state %s as %s', (state, want) => {
    expect(groupRuntimePods([], [container('c', 'u', { state })], 'r')[0]?.containers[0]?.state).toBe(want);
  });

  it.each([
    ['ab12', 'ab12'],
    ['00AB12', 'ab12'],
    ['0', '0'],
    ['x', ''],
    ['', ''],
  ])('reads hash %j as %j', (hash, want) => {
    const annotations = { 'io.kubernetes.container.hash': hash };
    expect(groupRuntimePods([], [container('c', 'u', { annotations })], 'r')[0]?.containers[0]?.hash).toBe(want);
  });

  it('orders pods by their oldest sandbox, newest first, those without any last', () => {
    const metadata = (attempt: number) => ({ uid: 'old', name: 'pod-old', namespace: 'default', attempt });
    const sandboxes = [
      sandbox('a', 'old', { metadata: metadata(0), createdAt: 1n }),
      sandbox('b', 'old', { metadata: metadata(1), createdAt: 9n }),
      sandbox('c', 'new', { createdAt: 5n }),
    ];
    const pods = groupRuntimePods(sandboxes, [container('c', 'orphan', { createdAt: 10n })], 'r');
    expect(pods.map(({ uid }) => uid)).toEqual(['new', 'old', 'orphan']);
  });

  it('orders sandboxes and containers the same way, however the runtime lists them', () => {
    const sandboxes = [
      sandbox('s1', 'u', { metadata: { uid: 'u', attempt: 2 }, createdAt: 1n }),
      sandbox('s2', 'u', { metadata: { uid: 'u', attempt: 1 }, createdAt: 3n }),
      sandbox('s3', 'u', { metadata: { uid: 'u', attempt: 1 }, createdAt: 2n }),
      sandbox('s4', 'u', { metadata: { uid: 'u', attempt: 1 }, createdAt: 2n }),
    ];
    const containers = [
      container('c1', 'u', { createdAt: 3n }),
      container('c2', 'u', { createdAt: 2n }),
      container('c3', 'u', { createdAt: 2n }),
      container('c4', 'u', { createdAt: 1n }),
    ];
    const shuffled = <T>(items: T[]) => fc.shuffledSubarray(items, { minLength: items.length });
    fc.assert(
      fc.property(shuffled(sandboxes), shuffled(containers), (someSandboxes, someContainers) => {
        const [pod] = groupRuntimePods(someSandboxes, someContainers, 'r');
        expect(pod?.sandboxes.map(({ id }) => id)).toEqual(['s1', 's2', 's3', 's4']);
        expect(pod?.containers.map(({ id }) => id.id)).toEqual(['c1', 'c2', 'c3', 'c4']);
      }),
      { seed: 1 },
    );
  });
});

describe('convertContainerStatus', () => {
  const message = (more: Init<typeof ContainerStatusSchema> = {}): ContainerStatus =>
    create(ContainerStatusSchema, {
      id: 'c',
      metadata: { name: 'app', attempt: 2 },
      state: ContainerState.CONTAINER_EXITED,
      createdAt: 1n,
      startedAt: 2n,
      finishedAt: 3n,
      exitCode: 137,
      image: { image: 'nginx:1' },
      imageRef: 'nginx@sha256:1',
      reason: 'OOMKilled',
      message: 'no memory left',
      labels: { 'io.kubernetes.container.name': 'app' },
      annotations: { 'io.kubernetes.container.hash': 'ab12', 'io.kubernetes.container.restartCount': '2' },
      logPath: '/var/log/pods/default_web_u/app/2.log',
      ...more,
    });
  const convert = (more?: Init<typeof ContainerStatusSchema>) =>
    convertContainerStatus(message(more), { runtimeName: 'containerd', sandboxId: 's' });

  it('reads an exited container', () => {
    expect(convert({ mounts: [{ containerPath: '/data', hostPath: '/srv', readonly: true }] })).toEqual({
      id: { type: 'containerd', id: 'c' },
      name: 'app',
      sandboxId: 's',
      state: 'exited',
      createdAtNanos: 1n,
      startedAtNanos: 2n,
      finishedAtNanos: 3n,
      exitCode: 137,
      reason: 'OOMKilled',
      message: 'no memory left',
      image: 'nginx:1',
      imageRef: 'nginx@sha256:1',
      imageId: 'nginx@sha256:1',
      hash: 'ab12',
      restartCount: 2,
      logPath: '/var/log/pods/default_web_u/app/2.log',
      mounts: [{ containerPath: '/data', hostPath: '/srv' }],
    });
    expect(convert({ imageId: 'sha256:2' }).imageId).toBe('sha256:2');
  });

  it('reads only what counts in the state', () => {
    const nothing = { finishedAtNanos: 0n, exitCode: 0, reason: '', message: '' };
    expect(convert({ state: ContainerState.CONTAINER_RUNNING })).toMatchObject({ startedAtNanos: 2n, ...nothing });
    expect(convert({ state: ContainerState.CONTAINER_CREATED })).toMatchObject({ startedAtNanos: 0n, ...nothing });
  });

  it('takes annotations it cannot read for none', () => {
    const annotations = { 'io.kubernetes.container.hash': 'x', 'io.kubernetes.container.restartCount': 'two' };
    expect(convert({ annotations })).toMatchObject({ hash: '', restartCount: 0 });
    expect(convert({ annotations: {} })).toMatchObject({ hash: '', restartCount: 0 });
  });

  it('reads resources in the units of the API', () => {
    const linux = { cpuShares: 512n, cpuQuota: 150_000n, cpuPeriod: 100_000n, memoryLimitInBytes: 1024n };
    expect(convert({ resources: { linux } }).resources).toEqual({
      cpuRequestMillis: 500,
      cpuLimitMillis: 1500,
      memoryLimitBytes: 1024,
    });
    const unlimited = { cpuShares: 2n, cpuQuota: -1n, cpuPeriod: 100_000n };
    expect(convert({ resources: { linux: unlimited } }).resources).toEqual({ cpuRequestMillis: 2 });
    expect(convert({ resources: { linux: {} } }).resources).toBeUndefined();
  });

  it('reads the user', () => {
    const linux = { uid: 1000n, gid: 2000n, supplementalGroups: [2000n, 3000n] };
    expect(convert({ user: { linux } }).user).toEqual({ uid: 1000, gid: 2000, supplementalGroups: [2000, 3000] });
    expect(convert({ user: {} }).user).toBeUndefined();
  });

  it.each([
    ['status.id', { id: '' }],
    ['status.metadata', { metadata: undefined }],
    ['status.metadata.name', { metadata: { attempt: 1 } }],
    ['status.createdAt', { createdAt: 0n }],
    ['status.image', { image: undefined }],
    ['status.image', { image: {} }],
    ['status.imageRef', { imageRef: '' }],
  ])('refuses a status without %s', (field, more) => {
    expect(() => convert(more)).toThrow(expect.objectContaining({ name: 'RuntimeResponseError', field }));
  });

  it('refuses an answer without a status', () => {
    const context = { runtimeName: 'containerd', sandboxId: 's' };
    expect(() => convertContainerStatus(undefined, context)).toThrow(RuntimeResponseError);
  });
});

describe('convertSandboxStatus', () => {
  const message = (more: Init<typeof PodSandboxStatusSchema> = {}): PodSandboxStatus =>
    create(PodSandboxStatusSchema, {
      id: 's',
      metadata: { uid: 'u', name: 'web', namespace: 'default', attempt: 3 },
      state: PodSandboxState.SANDBOX_READY,
      createdAt: 5n,
      network: { ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] },
      runtimeHandler: 'runc',
      ...more,
    });
  const convert = (more?: Init<typeof PodSandboxStatusSchema>) => convertSandboxStatus(message(more));

  it('reads a sandbox', () => {
    expect(convert()).toEqual({
      id: 's',
      attempt: 3,
      state: 'ready',
      createdAtNanos: 5n,
      ips: ['10.0.0.1', 'fd00::1'],
      hostNetwork: false,
      hasNetworkStatus: true,
      runtimeHandler: 'runc',
    });
    expect(convert({ state: PodSandboxState.SANDBOX_NOTREADY }).state).toBe('notready');
  });

  it("tells the node's network namespace from a pod's own", () => {
    const linux = { namespaces: { options: { network: NamespaceMode.NODE } } };
    expect(convert({ linux, network: undefined })).toMatchObject({
      hostNetwork: true,
      hasNetworkStatus: false,
      ips: [],
    });
  });

  it.each([
    [{ ip: '', additionalIps: [] }, []],
    [{ ip: '', additionalIps: [{ ip: '10.0.0.2' }] }, ['10.0.0.2']],
    [{ ip: 'host', additionalIps: [{ ip: '10.0.0.2' }] }, []],
    [{ ip: '10.0.0.1', additionalIps: [{ ip: '' }] }, []],
    [{ ip: 'fe80::1%eth0', additionalIps: [] }, []],
  ])('reads of %j the IPs %j', (network, ips) => {
    expect(convert({ network })).toMatchObject({ hasNetworkStatus: true, ips });
  });

  it.each([
    ['status.id', { id: '' }],
    ['status.metadata', { metadata: undefined }],
    ['status.metadata.name', { metadata: { namespace: 'default', uid: 'u' } }],
    ['status.metadata.namespace', { metadata: { name: 'web', uid: 'u' } }],
    ['status.metadata.uid', { metadata: { name: 'web', namespace: 'default' } }],
    ['status.createdAt', { createdAt: 0n }],
  ])('refuses a status without %s', (field, more) => {
    expect(() => convert(more)).toThrow(expect.objectContaining({ name: 'RuntimeResponseError', field }));
  });

  it('refuses an answer without a status', () => {
    expect(() => convertSandboxStatus(undefined)).toThrow('status is not set');
  });
});
