import { isIP } from 'node:net';
import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type ContainerUser,
  type LinuxContainerResources,
  NamespaceMode,
  type PodSandbox,
  type PodSandboxNetworkStatus,
  PodSandboxState,
  type PodSandboxStatus,
} from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel } from './labels.ts';
import { quotaToMilliCpu, sharesToMilliCpu } from './linux-resources.ts';
import { RuntimeResponseError } from './runtime-error.ts';
import type {
  RuntimeContainer,
  RuntimeContainerResources,
  RuntimeContainerState,
  RuntimeContainerStatus,
  RuntimeContainerUser,
  RuntimePod,
  RuntimeSandbox,
  RuntimeSandboxState,
  RuntimeSandboxStatus,
} from './runtime-status.ts';

/** A pod being put together. */
interface PodGroup extends RuntimePod {
  readonly sandboxes: RuntimeSandbox[];
  readonly containers: RuntimeContainer[];
}

/**
 * Sorts the answers of the two list calls by pod. What does not bear a kubelet's labels is somebody else's and left out; containers whose sandbox is gone
 * still make a pod. Sandboxes come highest attempt first, containers newest first, pods by their oldest sandbox, newest first.
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

/** A pod is as old as its oldest sandbox; one without any comes last. */
const podCreatedAt = (pod: RuntimePod): bigint => pod.sandboxes.at(-1)?.createdAtNanos ?? 0n;

/** Order of a pod's sandboxes: highest attempt, then newest, first; then by id, so that the order is the same each time. */
export function bySandboxAge(a: RuntimeSandbox, b: RuntimeSandbox): number {
  return b.attempt - a.attempt || compareBigints(b.createdAtNanos, a.createdAtNanos) || compareText(a.id, b.id);
}

/** Order of a pod's containers: newest first; then by id, so that the order is the same each time. */
export function byContainerAge(
  a: Pick<RuntimeContainer, 'createdAtNanos' | 'id'>,
  b: Pick<RuntimeContainer, 'createdAtNanos' | 'id'>,
): number {
  return compareBigints(b.createdAtNanos, a.createdAtNanos) || compareText(a.id.id, b.id.id);
}

const compareBigints = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** CRI's container state by name; a state newer than this program is `unknown`. */
export function convertContainerState(state: ContainerState): RuntimeContainerState {
  switch (state) {
    case ContainerState.CONTAINER_CREATED:
      return 'created';
    case ContainerState.CONTAINER_RUNNING:
      return 'running';
    case ContainerState.CONTAINER_EXITED:
      return 'exited';
    default:
      return 'unknown';
  }
}

/** CRI's sandbox state by name. */
export function convertSandboxState(state: PodSandboxState): RuntimeSandboxState {
  return state === PodSandboxState.SANDBOX_READY ? 'ready' : 'notready';
}

/** What {@link convertContainerStatus} cannot read from the status itself. */
export interface ContainerStatusContext {
  readonly runtimeName: string;
  /** From ListContainers; the status does not tell. */
  readonly sandboxId: string;
}

/**
 * CRI's ContainerStatus as the agent sees it. Times, exit code, reason and message count only in states that have them. Annotations that are missing or
 * cannot be read give no hash and a restart count of 0.
 *
 * @throws {@link RuntimeResponseError} when a field is missing that a runtime has to set
 */
export function convertContainerStatus(
  status: ContainerStatus | undefined,
  { runtimeName, sandboxId }: ContainerStatusContext,
): RuntimeContainerStatus {
  if (status === undefined) throw new RuntimeResponseError('a container', 'status');
  if (status.id === '') throw new RuntimeResponseError('a container', 'status.id');
  const subject = `container ${status.id}`;
  if (status.metadata === undefined) throw new RuntimeResponseError(subject, 'status.metadata');
  if (status.metadata.name === '') throw new RuntimeResponseError(subject, 'status.metadata.name');
  if (status.createdAt === 0n) throw new RuntimeResponseError(subject, 'status.createdAt');
  if (status.image === undefined || status.image.image === '') throw new RuntimeResponseError(subject, 'status.image');
  if (status.imageRef === '') throw new RuntimeResponseError(subject, 'status.imageRef');

  const state = convertContainerState(status.state);
  const exited = state === 'exited';
  const linuxResources = status.resources?.linux;
  return {
    id: { type: runtimeName, id: status.id },
    name: status.labels[PodLabel.containerName] ?? status.metadata.name,
    sandboxId,
    state,
    createdAtNanos: status.createdAt,
    startedAtNanos: state === 'created' ? 0n : status.startedAt,
    finishedAtNanos: exited ? status.finishedAt : 0n,
    exitCode: exited ? status.exitCode : 0,
    reason: exited ? status.reason : '',
    message: exited ? status.message : '',
    image: status.image.image,
    imageRef: status.imageRef,
    imageId: status.imageId || status.imageRef,
    hash: readHash(status.annotations),
    restartCount: readCount(status.annotations[ContainerAnnotation.restartCount]),
    logPath: status.logPath,
    mounts: status.mounts.map(({ containerPath, hostPath }) => ({ containerPath, hostPath })),
    resources: linuxResources && convertContainerResources(linuxResources),
    user: convertContainerUser(status.user),
  };
}

/**
 * The resources a running container really has, undefined when the runtime reports none. A memory request leaves no trace in the runtime.
 */
export function convertContainerResources(linux: LinuxContainerResources): RuntimeContainerResources | undefined {
  const cpuLimitMillis = quotaToMilliCpu(Number(linux.cpuQuota), Number(linux.cpuPeriod));
  const cpuRequestMillis = sharesToMilliCpu(Number(linux.cpuShares));
  const memoryLimitBytes = Number(linux.memoryLimitInBytes);
  if (cpuLimitMillis <= 0 && cpuRequestMillis <= 0 && memoryLimitBytes <= 0) return undefined;
  return {
    cpuRequestMillis: cpuRequestMillis > 0 ? cpuRequestMillis : undefined,
    cpuLimitMillis: cpuLimitMillis > 0 ? cpuLimitMillis : undefined,
    memoryLimitBytes: memoryLimitBytes > 0 ? memoryLimitBytes : undefined,
  };
}

function convertContainerUser(user: ContainerUser | undefined): RuntimeContainerUser | undefined {
  const linux = user?.linux;
  return (
    linux && {
      uid: Number(linux.uid),
      gid: Number(linux.gid),
      supplementalGroups: linux.supplementalGroups.map(Number),
    }
  );
}

/**
 * CRI's PodSandboxStatus as the agent sees it.
 *
 * @throws {@link RuntimeResponseError} when a field is missing that a runtime has to set
 */
export function convertSandboxStatus(status: PodSandboxStatus | undefined): RuntimeSandboxStatus {
  if (status === undefined) throw new RuntimeResponseError('a sandbox', 'status');
  if (status.id === '') throw new RuntimeResponseError('a sandbox', 'status.id');
  const subject = `sandbox ${status.id}`;
  const { metadata } = status;
  if (metadata === undefined) throw new RuntimeResponseError(subject, 'status.metadata');
  if (metadata.name === '') throw new RuntimeResponseError(subject, 'status.metadata.name');
  if (metadata.namespace === '') throw new RuntimeResponseError(subject, 'status.metadata.namespace');
  if (metadata.uid === '') throw new RuntimeResponseError(subject, 'status.metadata.uid');
  if (status.createdAt === 0n) throw new RuntimeResponseError(subject, 'status.createdAt');
  return {
    id: status.id,
    attempt: metadata.attempt,
    state: convertSandboxState(status.state),
    createdAtNanos: status.createdAt,
    ips: sandboxIps(status.network),
    hostNetwork: status.linux?.namespaces?.options?.network === NamespaceMode.NODE,
    hasNetworkStatus: status.network !== undefined,
    runtimeHandler: status.runtimeHandler,
  };
}

/** The primary IP and then the others; none at all when one of them is no IP. */
function sandboxIps(network: PodSandboxNetworkStatus | undefined): readonly string[] {
  if (network === undefined) return [];
  const ips = network.additionalIps.map(({ ip }) => ip);
  if (network.ip !== '') ips.unshift(network.ip);
  return ips.every(isPlainIp) ? ips : [];
}

/** Kubernetes knows no zones in addresses. */
const isPlainIp = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

const canonicalHex = /^(?:0|[1-9a-f][0-9a-f]*)$/;

/** The hash in the one way of writing it that {@link RuntimeContainer.hash} has; empty when there is none. */
function readHash(annotations: Readonly<Record<string, string>>): string {
  const text = annotations[ContainerAnnotation.hash];
  if (text === undefined) return '';
  if (canonicalHex.test(text)) return text;
  const canonical = text.toLowerCase().replace(/^0+(?=.)/, '');
  return canonicalHex.test(canonical) ? canonical : '';
}

/** A count that was written as decimal digits; 0 for anything else. */
function readCount(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}
