import type { Container, PodSandbox } from '@rxlet/cri-api';
import { PodLabel } from '../labels.ts';
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from '../runtime-status.ts';
import { convertContainerState } from './convert-container.ts';
import { convertSandboxState } from './convert-sandbox.ts';
import { readHash } from './kubelet-annotations.ts';

/** Pod with mutable lists, during grouping. */
interface PodGroup extends RuntimePod {
  readonly sandboxes: RuntimeSandbox[];
  readonly containers: RuntimeContainer[];
}

/**
 * Groups the items of the two list calls by pod. Items without a kubelet's labels are ignored; containers without a sandbox form a pod too. Sandboxes and
 * containers are ordered by attempt, highest first; pods by the age of their oldest sandbox, newest first.
 */
export function groupRuntimePods(
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
  runtimeName: string,
): RuntimePod[] {
  const pods = new Map<string, PodGroup>();
  for (const sandbox of sandboxes) {
    const { metadata } = sandbox;
    if (metadata === undefined || sandbox.id === '' || sandbox.labels[PodLabel.podUid] === undefined) continue;
    podGroup(pods, metadata.uid, metadata.name, metadata.namespace).sandboxes.push({
      id: sandbox.id,
      attempt: metadata.attempt,
      state: convertSandboxState(sandbox.state),
      createdAtNanos: sandbox.createdAt,
    });
  }
  for (const container of containers) {
    const { metadata, labels } = container;
    const uid = labels[PodLabel.podUid];
    const name = labels[PodLabel.containerName];
    if (metadata === undefined || container.id === '' || uid === undefined || name === undefined) continue;
    podGroup(pods, uid, labels[PodLabel.podName] ?? '', labels[PodLabel.podNamespace] ?? '').containers.push({
      id: { type: runtimeName, id: container.id },
      name,
      sandboxId: container.podSandboxId,
      state: convertContainerState(container.state),
      hash: readHash(container.annotations),
      attempt: metadata.attempt,
      createdAtNanos: container.createdAt,
      image: container.image?.image ?? '',
      imageRef: container.imageRef,
    });
  }
  const grouped = [...pods.values()];
  for (const pod of grouped) {
    if (pod.sandboxes.length > 1) pod.sandboxes.sort(bySandboxAge);
    if (pod.containers.length > 1) pod.containers.sort(byContainerAge);
  }
  return grouped.sort((a, b) => compareBigints(podCreatedAt(b), podCreatedAt(a)));
}

function podGroup(pods: Map<string, PodGroup>, uid: string, name: string, namespace: string): PodGroup {
  let pod = pods.get(uid);
  if (pod === undefined) {
    pod = { uid, name, namespace, sandboxes: [], containers: [] };
    pods.set(uid, pod);
  }
  return pod;
}

/** Returns the creation time of a pod, that of its oldest sandbox; 0 without sandboxes, so that the pod comes last. */
const podCreatedAt = (pod: RuntimePod): bigint => pod.sandboxes.at(-1)?.createdAtNanos ?? 0n;

/** Compares sandboxes of a pod: highest attempt first, then newest, then by id to be deterministic. */
function bySandboxAge(a: RuntimeSandbox, b: RuntimeSandbox): number {
  return b.attempt - a.attempt || compareBigints(b.createdAtNanos, a.createdAtNanos) || compareText(a.id, b.id);
}

/** Compares containers of a pod: highest attempt first, because the wall clock may be set back between two instances; then newest, then by id. */
function byContainerAge(a: RuntimeContainer, b: RuntimeContainer): number {
  return b.attempt - a.attempt || compareBigints(b.createdAtNanos, a.createdAtNanos) || compareText(a.id.id, b.id.id);
}

const compareBigints = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
