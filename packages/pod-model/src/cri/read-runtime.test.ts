import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CallOptions,
  ContainerState,
  ContainerStatusResponseSchema,
  ListContainersResponseSchema,
  ListPodSandboxResponseSchema,
  PodSandboxState,
  PodSandboxStatusResponseSchema,
  type RuntimeService,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { RuntimePod } from '../runtime-status.ts';
import { describe, expect, it } from 'vitest';
import { readRuntimePods, readRuntimePodStatus } from './read-runtime.ts';

type Call = { readonly method: string; readonly request: unknown; readonly options: CallOptions | undefined };

describe('readRuntimePods', () => {
  const labels = { 'io.kubernetes.pod.uid': 'u', 'io.kubernetes.container.name': 'app' };

  function listing(): { calls: Call[]; runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers'> } {
    const calls: Call[] = [];
    const runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers'> = {
      async listPodSandbox(request, options) {
        calls.push({ method: 'listPodSandbox', request, options });
        await Promise.resolve();
        const metadata = { uid: 'u', name: 'web', namespace: 'default' };
        return create(ListPodSandboxResponseSchema, { items: [{ id: 's', metadata, labels, createdAt: 1n }] });
      },
      async listContainers(request, options) {
        calls.push({ method: 'listContainers', request, options });
        await Promise.resolve();
        return create(ListContainersResponseSchema, { containers: [{ id: 'c', metadata: { name: 'app' }, labels }] });
      },
    };
    return { calls, runtime };
  }

  it('requests both lists concurrently and groups them', async () => {
    const { calls, runtime } = listing();
    const pods = readRuntimePods(runtime, { runtimeName: 'containerd' });
    expect(calls.map(({ method }) => method)).toEqual(['listPodSandbox', 'listContainers']);
    expect(await pods).toMatchObject([
      { uid: 'u', name: 'web', sandboxes: [{ id: 's' }], containers: [{ id: { type: 'containerd', id: 'c' } }] },
    ]);
  });

  it('filters by state and UID', async () => {
    const { calls, runtime } = listing();
    await readRuntimePods(runtime, { runtimeName: 'containerd', runningOnly: true, uid: 'u' });
    const labelSelector = { 'io.kubernetes.pod.uid': 'u' };
    expect(calls.map(({ request }) => request)).toEqual([
      { filter: { labelSelector, state: { state: PodSandboxState.SANDBOX_READY } } },
      { filter: { labelSelector, state: { state: ContainerState.CONTAINER_RUNNING } } },
    ]);
  });

  it('passes signal and timeout to calls', async () => {
    const { calls, runtime } = listing();
    const { signal } = new AbortController();
    await readRuntimePods(runtime, { runtimeName: 'containerd', signal, timeoutMs: 500 });
    for (const { options } of calls) expect(options).toEqual({ signal, timeoutMs: 500 });
  });

  it('rejects when either list fails', async () => {
    const { runtime } = listing();
    const error = new Error('runtime is down');
    const failing = { ...runtime, listContainers: () => Promise.reject(error) };
    await expect(readRuntimePods(failing, { runtimeName: 'containerd' })).rejects.toBe(error);
  });
});

describe('readRuntimePodStatus', () => {
  const listed = (id: string, createdAtNanos: bigint): RuntimePod['containers'][number] => ({
    id: { type: 'containerd', id },
    name: 'app',
    sandboxId: `sandbox of ${id}`,
    state: 'running',
    hash: '',
    attempt: 0,
    createdAtNanos,
    image: '',
    imageRef: '',
  });
  const pod: RuntimePod = {
    uid: 'u',
    name: 'web',
    namespace: 'default',
    sandboxes: [
      { id: 's1', attempt: 1, state: 'ready', createdAtNanos: 2n },
      { id: 's0', attempt: 0, state: 'notready', createdAtNanos: 1n },
    ],
    containers: [listed('c1', 2n), listed('c0', 1n)],
  };
  const notFound = (): Promise<never> => Promise.reject(new ServiceError(StatusCode.NotFound, 'not found'));

  type SandboxInit = NonNullable<MessageInitShape<typeof PodSandboxStatusResponseSchema>['status']>;
  type ContainerInit = NonNullable<MessageInitShape<typeof ContainerStatusResponseSchema>['status']>;

  const metadata = { uid: 'u', name: 'web', namespace: 'default' };
  const defaults: Record<string, SandboxInit> = {
    s1: { id: 's1', metadata: { ...metadata, attempt: 1 }, createdAt: 2n, network: { ip: '10.0.0.2' } },
    s0: { id: 's0', metadata, createdAt: 1n, state: PodSandboxState.SANDBOX_NOTREADY, network: { ip: '10.0.0.1' } },
  };
  const containerOf = (id: string, createdAt: bigint): ContainerInit => ({
    id,
    metadata: { name: 'app' },
    createdAt,
    image: { image: 'nginx' },
    imageRef: 'sha256:1',
  });
  const containers: Record<string, ContainerInit> = { c1: containerOf('c1', 2n), c0: containerOf('c0', 1n) };

  /** A runtime with only these sandboxes and containers. */
  function holding(
    sandboxesHeld: Record<string, SandboxInit> = defaults,
    containersHeld: Record<string, ContainerInit> = containers,
  ): { reads: string[]; runtime: Pick<RuntimeService, 'podSandboxStatus' | 'containerStatus'> } {
    const reads: string[] = [];
    return {
      reads,
      runtime: {
        podSandboxStatus({ podSandboxId = '' }) {
          reads.push(podSandboxId);
          const status = sandboxesHeld[podSandboxId];
          return status ? Promise.resolve(create(PodSandboxStatusResponseSchema, { status })) : notFound();
        },
        containerStatus({ containerId = '' }) {
          reads.push(containerId);
          const status = containersHeld[containerId];
          return status ? Promise.resolve(create(ContainerStatusResponseSchema, { status })) : notFound();
        },
      },
    };
  }
  const options = { runtimeName: 'containerd' };

  it('reads all statuses concurrently', async () => {
    const { reads, runtime } = holding();
    const reading = readRuntimePodStatus(runtime, pod, options);
    expect(reads).toEqual(['s1', 's0', 'c1', 'c0']);
    expect(await reading).toMatchObject({
      uid: 'u',
      name: 'web',
      namespace: 'default',
      ips: ['10.0.0.2'],
      sandboxes: [{ id: 's1' }, { id: 's0' }],
      containers: [
        { id: { type: 'containerd', id: 'c1' }, sandboxId: 'sandbox of c1' },
        { id: { type: 'containerd', id: 'c0' }, sandboxId: 'sandbox of c0' },
      ],
    });
  });

  it('omits sandboxes and containers that no longer exist', async () => {
    const { runtime } = holding({ s1: defaults['s1'] as SandboxInit }, { c0: containers['c0'] as ContainerInit });
    const status = await readRuntimePodStatus(runtime, pod, options);
    expect(status.sandboxes.map(({ id }) => id)).toEqual(['s1']);
    expect(status.containers.map(({ id }) => id.id)).toEqual(['c0']);
  });

  it('returns IPs of the newest sandbox only, and only while it is ready', async () => {
    const ready = { ...defaults['s0'], state: PodSandboxState.SANDBOX_READY };
    const gone = holding({ s0: ready });
    expect((await readRuntimePodStatus(gone.runtime, pod, options)).ips).toEqual([]);
    const down = holding({ s1: { ...defaults['s1'], state: PodSandboxState.SANDBOX_NOTREADY }, s0: ready });
    expect((await readRuntimePodStatus(down.runtime, pod, options)).ips).toEqual([]);
  });

  it('rejects when a call fails otherwise', async () => {
    const error = new ServiceError(StatusCode.Unavailable, 'runtime is down');
    const { runtime } = holding();
    const failing = { ...runtime, containerStatus: () => Promise.reject(error) };
    await expect(readRuntimePodStatus(failing, pod, options)).rejects.toBe(error);
  });

  it('rejects when a response lacks a required field', async () => {
    const { runtime } = holding({ ...defaults, s0: { id: 's0', createdAt: 1n } });
    await expect(readRuntimePodStatus(runtime, pod, options)).rejects.toMatchObject({
      name: 'RuntimeResponseError',
      reason: 'InvalidResponse',
      subject: 'sandbox s0',
      field: 'status.metadata',
    });
  });
});
