import { create } from '@bufbuild/protobuf';
import {
  type Container,
  ContainerSchema,
  ContainerState,
  ContainerStatusResponseSchema,
  ExecResponseSchema,
  type ImageService,
  ImageServiceDescriptor,
  ListContainersResponseSchema,
  ListImagesResponseSchema,
  ListPodSandboxResponseSchema,
  PodSandboxSchema,
  PodSandboxState,
  PodSandboxStatusResponseSchema,
  type PortMethod,
  type RuntimeService,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
  StatusResponseSchema,
  VersionResponseSchema,
} from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel } from '@rxlet/pod-model';
import { exitStatus, type StreamingServer } from '@rxlet/streaming';
import type { CheckedContainer } from './check-provider-pod.ts';
import type { PodProvider } from './pod-provider.ts';
import { hasStopped, type PodRecord, type ProviderPods } from './provider-pods.ts';

/** Version of the provider interface, which the Node object shows as that of the runtime. */
const VERSION = '1.0.0';

/** Ports of {@link createProviderRuntime}. */
export interface ProviderRuntimePorts {
  readonly provider: Pick<PodProvider, 'name' | 'exec'>;
  readonly pods: Pick<ProviderPods, 'whenListed' | 'whenTried' | 'problem' | 'list' | 'get' | 'imageOf'>;
  readonly streaming: Pick<StreamingServer, 'urlFor'>;
}

/**
 * Creates the runtime port that shows the pods of a provider as sandboxes and containers, so that the core and its modules read them as those of a container runtime.
 * Calls that change something are unimplemented: pods are changed as a whole, by the runtime manager of the provider.
 */
export function createProviderRuntime({ provider, pods, streaming }: ProviderRuntimePorts): RuntimeService {
  const containers = (): readonly ListedContainer[] => pods.list().flatMap((record) => containersOf(record, pods));
  const findContainer = (id: string): ListedContainer =>
    containers().find(({ container }) => container.id === id) ?? notFound(`container "${id}"`);

  return {
    ...unimplementedCalls<RuntimeService>(RuntimeServiceDescriptor),
    async version() {
      const versions = { version: '0.1.0', runtimeVersion: VERSION, runtimeApiVersion: 'v1' };
      return create(VersionResponseSchema, { ...versions, runtimeName: provider.name });
    },
    async status(_request, options) {
      await pods.whenTried(options?.signal);
      const problem = pods.problem();
      const ready = problem === undefined;
      const runtime = { type: 'RuntimeReady', status: ready, reason: ready ? '' : 'ProviderUnavailable' };
      const conditions = [
        { ...runtime, message: problem ?? '' },
        { type: 'NetworkReady', status: true },
      ];
      return create(StatusResponseSchema, { status: { conditions } });
    },
    async listPodSandbox({ filter = {} }, options) {
      await pods.whenListed(options?.signal);
      const items = pods.list().flatMap((record) => {
        const { uid, name, namespace } = record.pod;
        const sandbox = create(PodSandboxSchema, {
          id: uid,
          metadata: { uid, name, namespace },
          labels: podLabels(record),
          state: sandboxState(record),
          createdAt: nanos(record.sinceMs),
        });
        return matches(sandbox, filter) ? [sandbox] : [];
      });
      return create(ListPodSandboxResponseSchema, { items });
    },
    async podSandboxStatus({ podSandboxId = '' }) {
      const record = pods.get(podSandboxId) ?? notFound(`pod "${podSandboxId}"`);
      const { uid, name, namespace, ips } = record.pod;
      const [ip = '', ...others] = ips;
      const status = {
        id: uid,
        metadata: { uid, name, namespace },
        labels: podLabels(record),
        state: sandboxState(record),
        createdAt: nanos(record.sinceMs),
        network: { ip, additionalIps: others.map((other) => ({ ip: other })) },
      };
      return create(PodSandboxStatusResponseSchema, { status });
    },
    async listContainers({ filter = {} }, options) {
      await pods.whenListed(options?.signal);
      const listed = containers().map(({ container }) => container);
      return create(ListContainersResponseSchema, { containers: listed.filter((one) => matches(one, filter)) });
    },
    async containerStatus({ containerId = '' }) {
      const { container, instance } = findContainer(containerId);
      const { id, metadata, labels, annotations, state, createdAt, image, imageRef } = container;
      const { exitCode, reason, message } = instance;
      const startedAt = nanos(instance.startedAtMs);
      const finishedAt = nanos(instance.finishedAtMs);
      const described = { id, metadata, labels, annotations, state, createdAt, image, imageRef };
      const status = { ...described, startedAt, finishedAt, exitCode, reason, message };
      return create(ContainerStatusResponseSchema, { status });
    },
    async exec({ containerId = '', cmd = [], tty = false, stdin = false, stdout = false, stderr = false }) {
      const { exec } = provider;
      if (exec === undefined) throw new ServiceError(StatusCode.Unimplemented, 'the node runs no commands in its pods');
      const { container, record } = findContainer(containerId);
      const { uid, name, namespace } = record.pod;
      const reference = { pod: { uid, name, namespace }, container: container.metadata!.name };
      const url = await streaming.urlFor({
        kind: 'exec',
        container: containerId,
        tty,
        stdin,
        stdout,
        stderr,
        run: async (streams) => exitStatus(await exec.call(provider, reference, cmd, { ...streams, tty })),
      });
      return create(ExecResponseSchema, { url });
    },
  };
}

/** Returns the image port of a node without images. */
export function createProviderImages(): ImageService {
  return {
    ...unimplementedCalls<ImageService>(ImageServiceDescriptor),
    listImages: async () => create(ListImagesResponseSchema, {}),
  };
}

interface ListedContainer {
  readonly record: PodRecord;
  readonly instance: CheckedContainer;
  readonly container: Container;
}

/** Returns the containers of a pod that have started. Others have no instance, as in a container runtime. */
function containersOf(record: PodRecord, { imageOf }: Pick<ProviderPods, 'imageOf'>): readonly ListedContainer[] {
  const { uid, containers } = record.pod;
  return containers.flatMap((instance) => {
    if (instance.state === 'waiting') return [];
    const { id, name, restartCount } = instance;
    // The message must have an image, and an unknown one is shown as such.
    const image = instance.image ?? (imageOf(uid, name) || 'unknown');
    const container = create(ContainerSchema, {
      id,
      podSandboxId: uid,
      metadata: { name, attempt: restartCount },
      image: { image },
      imageRef: image,
      state: instance.state === 'running' ? ContainerState.CONTAINER_RUNNING : ContainerState.CONTAINER_EXITED,
      createdAt: nanos(instance.startedAtMs),
      labels: { ...podLabels(record), [PodLabel.containerName]: name },
      annotations: { [ContainerAnnotation.restartCount]: String(restartCount) },
    });
    return [{ record, instance, container }];
  });
}

function sandboxState({ state, pod }: PodRecord): PodSandboxState {
  const isReady = state !== 'gone' && !hasStopped(pod);
  return isReady ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;
}

function podLabels({ pod: { uid, name, namespace } }: PodRecord): Record<string, string> {
  return { [PodLabel.podUid]: uid, [PodLabel.podName]: name, [PodLabel.podNamespace]: namespace };
}

/** A filter of a list, of which the agent uses these fields. */
interface ListFilter {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly state?: { readonly state?: number } | undefined;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

interface Listed {
  readonly id: string;
  readonly podSandboxId?: string;
  readonly state: number;
  readonly labels: Readonly<Record<string, string>>;
}

function matches({ id, podSandboxId, state, labels }: Listed, filter: ListFilter): boolean {
  if (filter.id && filter.id !== id) return false;
  if (filter.podSandboxId && filter.podSandboxId !== podSandboxId) return false;
  if (filter.state !== undefined && (filter.state.state ?? 0) !== state) return false;
  return Object.entries(filter.labelSelector ?? {}).every(([name, value]) => labels[name] === value);
}

function nanos(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}

function notFound(subject: string): never {
  throw new ServiceError(StatusCode.NotFound, `the provider has no ${subject}`);
}

/** Returns a port whose calls reject as unimplemented. */
function unimplementedCalls<Service>({ method }: { readonly method: Readonly<Record<string, PortMethod>> }): Service {
  const reject = (name: string): never => {
    throw new ServiceError(StatusCode.Unimplemented, `a virtual node has no ${name}`);
  };
  const calls = Object.values(method).map(({ name, localName, methodKind }) => {
    const unary = async (): Promise<never> => reject(name);
    const streaming = async function* (): AsyncGenerator<never> {
      reject(name);
    };
    return [localName, methodKind === 'unary' ? unary : streaming] as const;
  });
  return Object.fromEntries(calls) as Service;
}
