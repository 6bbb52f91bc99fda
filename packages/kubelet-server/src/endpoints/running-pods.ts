import { ContainerState, PodSandboxState, type Container, type RuntimeService } from '@rxlet/cri-api';
import { PodLabel } from '@rxlet/pod-model';
import { jsonAnswer } from '../request/answer.ts';
import type { ServiceRoute } from '../routing/route.ts';

type ListingRuntime = Pick<RuntimeService, 'listContainers' | 'listPodSandbox'>;

/** Returns the service `/runningpods/`: the pods that the runtime runs, with no more than the runtime knows of them. */
export function runningPodsRoute(runtime: ListingRuntime): ServiceRoute {
  return {
    root: '/runningpods/',
    operations: [
      {
        methods: ['GET'],
        segments: { least: 0, most: 0 },
        produces: 'application/json',
        handle: async ({ signal }) =>
          jsonAnswer({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: await runningPods(runtime, signal) }),
      },
    ],
  };
}

/** A pod as the runtime knows it. */
interface RunningPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  /** `null` for a pod without running containers, as in the kubelet. */
  readonly spec: { containers: object[] | null };
  readonly status: object;
}

async function runningPods(runtime: ListingRuntime, signal: AbortSignal): Promise<readonly RunningPod[]> {
  const [{ items: sandboxes }, { containers }] = await Promise.all([
    runtime.listPodSandbox({ filter: { state: { state: PodSandboxState.SANDBOX_READY } } }, { signal }),
    runtime.listContainers({ filter: { state: { state: ContainerState.CONTAINER_RUNNING } } }, { signal }),
  ]);
  const pods = new Map<string, RunningPod>();
  const podOf = (labels: Readonly<Record<string, string>>): RunningPod | undefined => {
    const uid = labels[PodLabel.podUid];
    const name = labels[PodLabel.podName];
    const namespace = labels[PodLabel.podNamespace];
    if (uid === undefined || name === undefined || namespace === undefined) return undefined;
    const pod = pods.get(uid) ?? { metadata: { name, namespace, uid }, spec: { containers: null }, status: {} };
    pods.set(uid, pod);
    return pod;
  };
  for (const container of containers) {
    const pod = podOf(container.labels);
    if (pod !== undefined) (pod.spec.containers ??= []).push(describeContainer(container));
  }
  for (const { labels } of sandboxes) podOf(labels);
  return [...pods.values()];
}

function describeContainer({ labels, image, imageRef }: Container): object {
  return { name: labels[PodLabel.containerName] ?? '', image: image?.image || imageRef, resources: {} };
}
