import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { noopEventRecorder, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  ContainerConfigSchema,
  type ImageSchema,
  type ImageService,
  type ImageSpec,
  ImageSpecSchema,
  ImageStatusResponseSchema,
  type PodSandboxConfig,
  PodSandboxConfigSchema,
  PullImageResponseSchema,
  type RuntimeService,
} from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs } from '@rxlet/fake-cri';
import { createImageManager } from '@rxlet/image-manager';
import type { Pod } from '@rxlet/kube-api';
import {
  cgroupPath,
  emptyRuntimePodStatus,
  podCgroupName,
  readRuntimePods,
  readRuntimePodStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import {
  createRuntimeManager,
  defaultNodeSettings,
  type NodeSettings,
  parseResolvConf,
  type SyncResult,
  unsupportedPodFeatures,
} from '@rxlet/runtime-manager';
import { createMemoryFileSystem } from '@rxlet/runtime-manager/testing';
import type { Answer } from '../vector-kind.ts';

type Json = Record<string, unknown>;

interface CriRequestsVector {
  readonly admission: { readonly reason?: string };
  readonly pod: Pod;
  readonly pullImage: readonly Json[];
  readonly runPodSandbox: { readonly config: Json } | null;
  readonly createContainer: readonly Json[];
  readonly waiting: Readonly<Record<string, { readonly reason: string; readonly message?: string }>>;
}

/** What the runtime was asked for, and which containers could not be made. */
type Requests = Pick<CriRequestsVector, 'pullImage' | 'createContainer' | 'waiting'> & {
  readonly runPodSandbox: readonly Json[];
};

/** The node on which the requests were recorded. */
const node: NodeSettings = {
  ...defaultNodeSettings,
  rootDirectory: '<root>',
  podLogsDirectory: '<podlogs>',
  clusterDns: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  memoryCapacityBytes: 24_684_092n * 1024n,
  hugePageSizes: ['2MB', '1GB'],
  cgroupVersion: 1,
  swapAccounting: true,
};
const resolvConf = parseResolvConf('nameserver 192.0.2.53\nsearch corp.example\noptions timeout:2\n');
const POD_IP = '192.168.192.168';
/** An image that the fake runtime has; the recorded ones are stood in for by it. */
const STAND_IN = 'any';
/** An image's id is its name behind this. */
const ID_PREFIX = 'sha256:img-';
const MAX_SYNCS = 20;

/** The requests that a static pod leads to. */
export async function run(vector: CriRequestsVector): Promise<Answer> {
  const { pod, admission, pullImage, runPodSandbox, createContainer, waiting } = vector;
  const unsupported = unsupportedPodFeatures(pod);
  if (unsupported.length > 0) throw new Error(`not supported yet: ${unsupported.join(', ')}`);
  if (admission.reason !== undefined) throw new Error(`not supported yet: admission (${admission.reason})`);
  const got = await recordRequests(pod);
  // A container that waits for its turn was not asked for; one that failed says why.
  const failed = Object.entries(waiting).filter(([, { reason }]) => reason !== 'PodInitializing');
  const want: Requests = {
    pullImage,
    runPodSandbox: runPodSandbox === null ? [] : [runPodSandbox.config],
    createContainer: createContainer.map(withSortedEnvs),
    waiting: Object.fromEntries(failed),
  };
  return { got, want };
}

async function recordRequests(pod: Pod): Promise<Requests> {
  const clock = createVirtualClock();
  const pullImage: Json[] = [];
  const runPodSandbox: Json[] = [];
  const createContainer: Json[] = [];

  await using fake = createFakeRuntime({ clock, random: seededRandom(1), logs: createMemoryLogs() });
  await fake.images.pullImage({ image: { image: STAND_IN } });
  const runtime: RuntimeService = {
    ...fake.runtime,
    runPodSandbox: (request, options) => {
      runPodSandbox.push(fieldsOf(PodSandboxConfigSchema, request.config as PodSandboxConfig));
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
  const images = recordedImages((image) => pullImage.push(fieldsOf(ImageSpecSchema, image)));
  await using imageManager = createImageManager({ images, clock, events: noopEventRecorder });
  await using manager = createRuntimeManager(
    {
      runtime,
      images: imageManager,
      imageService: images,
      clock,
      random: { next: () => 0, hex: () => '<rand>' },
      events: noopEventRecorder,
      files: createMemoryFileSystem({ '/etc/hosts': '127.0.0.1\tlocalhost\n' }),
    },
    { node, resolvConf: () => resolvConf, cgroupParent: (subject) => cgroupPath(podCgroupName(subject), 'cgroupfs') },
  );

  for (let round = 0; round < MAX_SYNCS; round += 1) {
    const { results, error } = await manager.syncPod(pod, await statusOf(pod, runtime));
    if (results.length === 0 || error !== undefined) {
      return { pullImage, runPodSandbox, createContainer, waiting: waitingReasons(error?.failures ?? []) };
    }
    await clock.settle();
  }
  throw new Error('the pod does not come to rest');
}

async function statusOf(pod: Pod, runtime: RuntimeService): Promise<RuntimePodStatus> {
  const { uid = '', name, namespace } = pod.metadata ?? {};
  const options = { runtimeName: 'fake', uid };
  const [found] = await readRuntimePods(runtime, options);
  return found === undefined
    ? emptyRuntimePodStatus(uid, name, namespace)
    : readRuntimePodStatus(runtime, found, options);
}

function waitingReasons(failures: readonly SyncResult[]): CriRequestsVector['waiting'] {
  return Object.fromEntries(
    failures.map(({ target, reason = '', message = '' }) => [target, { reason, ...(message !== '' && { message }) }]),
  );
}

/** The images of the recording: some names tell that they have to be pulled first, or whom they run as. */
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

/** A kubelet sends them in the order in which Go walks a map, which is another one each time. Their names are all different. */
function withSortedEnvs(config: Json): Json {
  const envs = config['envs'] as readonly { readonly key: string }[] | undefined;
  return envs === undefined ? config : { ...config, envs: envs.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}
