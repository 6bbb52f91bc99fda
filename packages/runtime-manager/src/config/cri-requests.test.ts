import { create, toJson } from '@bufbuild/protobuf';
import { noopEventRecorder, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  type ContainerConfig,
  ContainerConfigSchema,
  type ImageService,
  ImageSpecSchema,
  type PodSandboxConfig,
  PodSandboxConfigSchema,
  type RuntimeService,
} from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../fixtures/read-fixture.ts';
import { createManagerBench } from '../testing/manager-bench.ts';
import { unsupportedPodFeatures } from '../unsupported-pod-features.ts';
import { defaultNodeSettings, type NodeSettings } from './node-settings.ts';
import { parseResolvConf } from './resolv-conf.ts';

type Json = Record<string, unknown>;
interface Vector {
  readonly name: string;
  readonly admission: { readonly reason?: string };
  readonly pod: Pod;
  readonly runPodSandbox: { readonly config: Json };
  readonly createContainer: readonly Json[];
  readonly waiting: Readonly<Record<string, { readonly reason: string; readonly message?: string }>>;
}

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

// A pod that needs what the manager does not do yet, or that was refused, leads to no requests. What images are worth is for others to say.
const vectors = readFixture<Vector>('cri-requests.jsonl.gz').filter(
  ({ admission, pod, waiting }) =>
    admission.reason === undefined &&
    unsupportedPodFeatures(pod).length === 0 &&
    !Object.values(waiting).some(({ reason }) => /Image/.test(reason)),
);

describe('requests to the runtime, as a kubelet was recorded making them', () => {
  it('can be compared for most pods', () => {
    expect(vectors).toHaveLength(44);
  });

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, { pod, ...want }) => {
    const recorded = await recordRequests(pod);
    expect(recorded.sandboxes).toEqual([want.runPodSandbox.config]);
    expect(recorded.containers.map(withSortedEnvs)).toEqual(want.createContainer.map(withSortedEnvs));
    const failures = Object.entries(want.waiting).filter(([, { reason }]) => reason !== 'PodInitializing');
    expect(recorded.failures).toEqual(Object.fromEntries(failures));
  });
});

async function recordRequests(pod: Pod): Promise<{ sandboxes: unknown[]; containers: Json[]; failures: Json }> {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs: createMemoryLogs() });
  await fake.images.pullImage({ image: { image: 'any' } });
  const sandboxes: unknown[] = [];
  const containers: Json[] = [];
  const runtime: RuntimeService = {
    ...fake.runtime,
    runPodSandbox: (request, options) => {
      sandboxes.push(toJson(PodSandboxConfigSchema, request.config as PodSandboxConfig, { useProtoFieldName: true }));
      return fake.runtime.runPodSandbox(request, options);
    },
    createContainer: (request, options) => {
      const config = request.config as ContainerConfig;
      containers.push(toJson(ContainerConfigSchema, config, { useProtoFieldName: true }) as Json);
      return fake.runtime.createContainer(
        { ...request, config: { ...config, image: create(ImageSpecSchema, { image: 'any' }) } },
        options,
      );
    },
    podSandboxStatus: async (request, options) => {
      const response = await fake.runtime.podSandboxStatus(request, options);
      const ip = pod.spec?.hostNetwork === true ? '' : POD_IP;
      return { ...response, status: { ...response.status!, network: { ...response.status!.network!, ip } } };
    },
  };
  const bench = createManagerBench({
    clock,
    runtime,
    images: recordedImages,
    options: {
      node,
      resolvConf: () => resolvConf,
      cgroupParent: (subject) => `/kubepods${qosLevel(subject)}/pod${subject.metadata?.uid ?? ''}`,
    },
    ports: {
      events: noopEventRecorder,
      random: { next: () => 0, hex: () => '<rand>' },
      images: {
        ensureImageExists: async ({ image }) => ({
          imageRef: `sha256:img-${/[:@]/.test(image) ? image : `${image}:latest`}`,
        }),
      },
    },
  });
  const { error } = await bench.settle(pod);
  const failures = (error?.failures ?? []).map(({ target, reason, message }) => [target, { reason, message }]);
  return { sandboxes, containers, failures: Object.fromEntries(failures) as Json };
}

/** Images of the recording: most run as root, some names tell otherwise. */
const recordedImages = {
  imageStatus: async ({ image }: { image?: { image?: string } }) => {
    const name = image?.image ?? '';
    const user = name.includes('/user:')
      ? { uid: { value: 1001n } }
      : name.includes('/named:')
        ? { username: 'app' }
        : { uid: { value: 0n } };
    return { image: { id: name, username: '', ...user } };
  },
} as unknown as ImageService;

function qosLevel(pod: Pod): string {
  const qos = podQosClass(pod);
  return qos === 'Guaranteed' ? '' : `/${qos.toLowerCase()}`;
}

/** A kubelet sends them in no particular order. */
function withSortedEnvs(config: Json): Json {
  const envs = config['envs'] as { key: string }[] | undefined;
  return envs === undefined ? config : { ...config, envs: envs.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}
