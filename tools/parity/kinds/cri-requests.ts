import { admissionHandlers, type AgentCore, contribute, type CorePorts, podSteps, otherPods } from '@rxlet/agent-api';
import { noopJournal } from '@rxlet/agent-api/journal';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podVolumes } from '@rxlet/agent-api/volumes';
import {
  admitPod,
  coreCollections,
  corePodFields,
  createModuleHost,
  createUnsupportedPodFields,
  type ModuleHost,
} from '@rxlet/agent/core';
import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { noopLogger, seededRandom, withDeadline } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import {
  ContainerConfigSchema,
  type ImageSchema,
  type ImageService,
  type ImageSpec,
  ImageSpecSchema,
  ImageStatusResponseSchema,
  PodSandboxConfigSchema,
  PullImageResponseSchema,
  type RuntimeService,
} from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { createImageManager } from '@rxlet/image-manager';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { cgroupPath, podCgroupName } from '@rxlet/pod-model/cgroups';
import { emptyRuntimePodStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { readRuntimePods, readRuntimePodStatus } from '@rxlet/pod-model/cri';
import { createRuntimeManager, defaultNodeSettings, type NodeSettings, type SyncResult } from '@rxlet/runtime-manager';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeAdmission, type NodeAdmissionOptions } from '@rxlet/node-admission';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { volumes } from '@rxlet/volume-manager';
import { memoryVolumes } from '@rxlet/volume-manager/testing';
import type { Answer } from '../vector-kind.ts';

type Json = Record<string, unknown>;

interface CriRequestsVector {
  readonly admission: { readonly reason?: string; readonly message?: string };
  readonly pod: Pod;
  readonly pullImage: readonly Json[];
  readonly runPodSandbox: { readonly config: Json } | null;
  readonly createContainer: readonly Json[];
  readonly waiting: Readonly<Record<string, { readonly reason: string; readonly message?: string }>>;
}

/** Requests that the runtime received, containers that could not be created, and the reason of a rejection. */
type Requests = Pick<CriRequestsVector, 'admission' | 'pullImage' | 'createContainer' | 'waiting'> & {
  readonly runPodSandbox: readonly Json[];
};

/** Stands for the root directory, which the requests show as `<root>`. */
const ROOT = '/root-directory';

/** The node on which the requests were recorded. */
const node: NodeSettings = {
  ...defaultNodeSettings,
  rootDirectory: ROOT,
  podLogsDirectory: '<podlogs>',
  clusterDns: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  memoryCapacityBytes: 24_684_092n * 1024n,
  hugePageSizes: ['2MB', '1GB'],
  cgroupVersion: 1,
  swapAccounting: true,
};
const RESOLV_CONF = 'nameserver 192.0.2.53\nsearch corp.example\noptions timeout:2\n';
const POD_IP = '192.168.192.168';
/** An image of the fake runtime; it replaces the recorded ones. */
const STAND_IN = 'any';
/** Prefix of an image's id, followed by its name. */
const ID_PREFIX = 'sha256:img-';
const MAX_SYNCS = 20;

/** Fields of pods that other modules support. */
const otherFields = [
  ...containerFields('lifecycle.postStart', 'lifecycle.preStop', 'livenessProbe', 'readinessProbe', 'startupProbe'),
  'spec.imagePullSecrets',
  'spec.activeDeadlineSeconds',
  'spec.runtimeClassName',
  'spec.resources.limits.*',
  'spec.resources.requests.*',
];
/** Time in which a kubelet gives up waiting for the volumes of a pod. */
const VOLUMES_TIMEOUT_MS = 123_000;
/** Reasons of containers that were not requested because of something else: the sandbox, a volume, an init container. */
const NOT_REQUESTED: readonly string[] = ['ContainerCreating', 'PodInitializing'];

/** Runs a static pod and returns the requests that the runtime received. */
export async function run(vector: CriRequestsVector): Promise<Answer> {
  const { pod, admission, pullImage, runPodSandbox, createContainer, waiting } = vector;
  const got = await recordRequests(pod);
  const failed = Object.entries(waiting).filter(([, { reason }]) => !NOT_REQUESTED.includes(reason));
  const { reason, message } = admission;
  const want: Requests = {
    admission: reason === undefined ? {} : { reason, message: message?.replace('Pod was rejected: ', '') ?? '' },
    pullImage,
    runPodSandbox: runPodSandbox === null ? [] : [runPodSandbox.config],
    createContainer: createContainer.map(withSortedEnvs),
    waiting: Object.fromEntries(failed),
  };
  return { got: JSON.parse(JSON.stringify(got).replaceAll(ROOT, '<root>')) as unknown, want };
}

/** Sets up the modules that take part in the requests. */
async function setUp(files: MemoryFiles, clock: VirtualClock, fake: FakeRuntime): Promise<ModuleHost> {
  const ports: CorePorts = {
    runtime: fake.runtime,
    images: fake.images,
    files: files.nodeFiles,
    hostFiles: files.hostFiles,
    clock,
    random: seededRandom(1),
    logger: noopLogger,
    metrics: noopMetrics,
    events: noopEventRecorder,
    journal: noopJournal,
    node: { name: 'node1', rootDirectory: ROOT, podLogsDirectory: node.podLogsDirectory, ips: [] },
  };
  // What modules do with the core does not happen here.
  const core = {} as AgentCore;
  const modules = [volumes(memoryVolumes(files)), nodeAdmission(admissionOptions)];
  const host = createModuleHost(modules, coreCollections);
  await host.setUp({ ports, core, contributions: [contribute(supportedPodFields, ...corePodFields)] });
  return host;
}

/** The machine of the recording, as far as pods are judged by it. */
const admissionOptions: NodeAdmissionOptions = {
  kernelVersion: '6.1.0',
  machine: createTestMachine({
    facts: {
      cores: 2,
      memoryBytes: Number(node.memoryCapacityBytes),
      hugePages: [
        { sizeBytes: 2 * 1024 ** 2, count: 0 },
        { sizeBytes: 1024 ** 3, count: 0 },
      ],
    },
    fileSystemBytes: 100 * 1024 ** 3,
  }),
};

async function recordRequests(pod: Pod): Promise<Requests> {
  const clock = createVirtualClock();
  const pullImage: Json[] = [];
  const runPodSandbox: Json[] = [];
  const createContainer: Json[] = [];

  await using fake = createFakeRuntime({ clock, random: seededRandom(1), logs: createMemoryLogs() });
  await fake.images.pullImage({ image: { image: STAND_IN } });
  const runtime: RuntimeService = {
    ...fake.runtime,
    // The recorded runtime reported no handlers.
    status: async (request, options) => ({ ...(await fake.runtime.status(request, options)), runtimeHandlers: [] }),
    runPodSandbox: (request, options) => {
      runPodSandbox.push(fieldsOf(PodSandboxConfigSchema, create(PodSandboxConfigSchema, request.config)));
      return fake.runtime.runPodSandbox(request, options);
    },
    createContainer: (request, options) => {
      const config = create(ContainerConfigSchema, request.config);
      createContainer.push(withSortedEnvs(fieldsOf(ContainerConfigSchema, config)));
      const image = create(ImageSpecSchema, { image: STAND_IN });
      return fake.runtime.createContainer({ ...request, config: { ...config, image } }, options);
    },
    podSandboxStatus: async (request, options) => {
      const response = await fake.runtime.podSandboxStatus(request, options);
      const ip = pod.spec?.hostNetwork === true ? '' : POD_IP;
      return { ...response, status: { ...response.status!, network: { ...response.status!.network!, ip } } };
    },
  };
  const images = recordedImages((image) => pullImage.push(fieldsOf(ImageSpecSchema, create(ImageSpecSchema, image))));
  const files = createMemoryFiles({
    files: { '/etc/hosts': '127.0.0.1\tlocalhost\n', '/etc/resolv.conf': RESOLV_CONF },
  });
  files.putDirectory('/tmp/gt/hostdir');
  await using host = await setUp(files, clock, fake);
  await host.start();
  const unsupported = createUnsupportedPodFields([...host.contributions(supportedPodFields), ...otherFields])(pod);
  if (unsupported.length > 0) throw new Error(`not supported yet: ${unsupported.join(', ')}`);
  const { signal } = new AbortController();
  const rejection = await admitPod(host.contributions(admissionHandlers), pod, {
    clock,
    others: otherPods([]),
    journal: noopJournal,
    signal,
  });
  if (rejection !== undefined) return { admission: rejection, pullImage, runPodSandbox, createContainer, waiting: {} };
  if (!(await isPrepared(pod, host, clock)))
    return { admission: {}, pullImage, runPodSandbox, createContainer, waiting: {} };

  await using imageManager = createImageManager({ images, clock, events: noopEventRecorder });
  await using manager = createRuntimeManager(
    {
      runtime,
      images: imageManager,
      imageService: images,
      clock,
      random: { next: () => 0, hex: () => '<rand>' },
      events: noopEventRecorder,
      files: files.nodeFiles,
      hostFiles: files.hostFiles,
      volumes: host.find(podVolumes),
      hooks: { postStart: async () => undefined, preStop: async () => undefined },
      nodeResources: { allocatable: () => ({ cpu: '2', memory: `${String(node.memoryCapacityBytes)}` }) },
    },
    { node, cgroupParent: (subject) => cgroupPath(podCgroupName(subject), 'cgroupfs') },
  );

  for (let round = 0; round < MAX_SYNCS; round += 1) {
    const { results, error } = await manager.syncPod(pod, await statusOf(pod, runtime));
    if (results.length === 0 || error !== undefined) {
      const waiting = waitingReasons(pod, error?.failures ?? []);
      return { admission: {}, pullImage, runPodSandbox, createContainer, waiting };
    }
    await clock.settle();
  }
  throw new Error('the pod does not settle');
}

async function statusOf(pod: Pod, runtime: RuntimeService): Promise<RuntimePodStatus> {
  const { uid = '', name, namespace } = pod.metadata ?? {};
  const options = { runtimeName: 'fake', uid };
  const [found] = await readRuntimePods(runtime, options);
  return found === undefined
    ? emptyRuntimePodStatus(uid, name, namespace)
    : readRuntimePodStatus(runtime, found, options);
}

/** Prepares a pod. Reports whether it is ready for its sandbox: a volume that cannot be mounted is tried again and again. */
async function isPrepared(pod: Pod, host: ModuleHost, clock: VirtualClock): Promise<boolean> {
  const prepare = async (signal: AbortSignal): Promise<void> => {
    for (const step of host.contributions(podSteps)) await step.prepare?.(pod, signal);
  };
  const preparation = withDeadline(clock, VOLUMES_TIMEOUT_MS, undefined, prepare).then(
    () => true,
    () => false,
  );
  await clock.advance(VOLUMES_TIMEOUT_MS);
  return preparation;
}

/** Returns the reasons of containers; a sandbox that cannot be made is not shown as one. */
function waitingReasons(pod: Pod, all: readonly SyncResult[]): CriRequestsVector['waiting'] {
  const failures = all.filter(({ target }) => podContainers(pod).some(({ container }) => container.name === target));
  return Object.fromEntries(
    failures.map(({ target, reason = '', message = '' }) => [target, { reason, ...(message !== '' && { message }) }]),
  );
}

/** Stand-in for the images of the recording. Names of images determine whether they must be pulled, and their users. */
function recordedImages(onPull: (image: ImageSpec) => void): Pick<ImageService, 'imageStatus' | 'pullImage'> {
  const pulled = new Set<string>();
  return {
    imageStatus: async ({ image }) => {
      const name = (image?.image ?? '').replace(ID_PREFIX, '');
      if (name.includes('missing') && !pulled.has(name)) return create(ImageStatusResponseSchema);
      return create(ImageStatusResponseSchema, { image: { id: ID_PREFIX + name, ...userOf(name) } });
    },
    pullImage: async ({ image }) => {
      const spec = create(ImageSpecSchema, image);
      onPull(spec);
      pulled.add(spec.image);
      return create(PullImageResponseSchema, { imageRef: ID_PREFIX + spec.image });
    },
  };
}

function userOf(image: string): MessageInitShape<typeof ImageSchema> {
  if (image.startsWith('registry.example/user:')) return { uid: { value: 1001n } };
  return image.startsWith('registry.example/named:') ? { username: 'app' } : { uid: { value: 0n } };
}

function fieldsOf(schema: Parameters<typeof toJson>[0], message: Parameters<typeof toJson>[1]): Json {
  return toJson(schema, message, { useProtoFieldName: true }) as Json;
}

/** A kubelet sends them in the order in which Go iterates a map, which is random. Their names are all different. */
function withSortedEnvs(config: Json): Json {
  const envs = config['envs'] as readonly { readonly key: string }[] | undefined;
  return envs === undefined ? config : { ...config, envs: envs.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}
