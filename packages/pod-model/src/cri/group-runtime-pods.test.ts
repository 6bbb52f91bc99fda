import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { ContainerSchema, ContainerState, PodSandboxSchema, PodSandboxState } from '@rxlet/cri-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupRuntimePods } from './group-runtime-pods.ts';

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
  it('groups sandboxes and containers by pod', () => {
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

  it('keeps containers without a sandbox', () => {
    expect(groupRuntimePods([], [container('c', 'u')], 'r')).toMatchObject([
      { uid: 'u', name: 'pod-u', namespace: 'default', sandboxes: [], containers: [{ name: 'app' }] },
    ]);
  });

  it('ignores sandboxes and containers without the labels of a kubelet', () => {
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
  ])('converts container state %s to %s', (state, want) => {
    expect(groupRuntimePods([], [container('c', 'u', { state })], 'r')[0]?.containers[0]?.state).toBe(want);
  });

  it.each([
    ['ab12', 'ab12'],
    ['00AB12', 'ab12'],
    ['0', '0'],
    ['x', ''],
    ['', ''],
  ])('converts hash %j to %j', (hash, want) => {
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
    // The wall clock was set back before the latest attempt.
    const containers = [
      container('c0', 'u', { metadata: { name: 'app', attempt: 1 }, createdAt: 1n }),
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
        expect(pod?.containers.map(({ id }) => id.id)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
      }),
      { seed: 1 },
    );
  });
});
