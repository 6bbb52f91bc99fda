import { type ContainerStatus, ContainerState, type ContainerUser, type LinuxContainerResources } from '@rxlet/cri-api';
import { ContainerAnnotation, PodLabel } from '../labels.ts';
import { quotaToMilliCpu, sharesToMilliCpu } from '../linux-resources.ts';
import type {
  RuntimeContainerResources,
  RuntimeContainerState,
  RuntimeContainerStatus,
  RuntimeContainerUser,
} from '../runtime-status.ts';
import { readHash, readCount } from './kubelet-annotations.ts';
import { RuntimeResponseError } from './runtime-response-error.ts';

/** Returns the name of a container state; `unknown` for an unknown value. */
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

/** Facts about a container that its ContainerStatus lacks. */
export interface ContainerStatusContext {
  readonly runtimeName: string;
  /** Id of the container's sandbox, from ListContainers. */
  readonly sandboxId: string;
}

/**
 * Converts a ContainerStatus. Times, exit code, reason and message are kept only in states that have them. Without valid annotations the hash is empty and the
 * restart count 0.
 *
 * @throws {@link RuntimeResponseError} when a field is missing that CRI requires
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

/** Converts the actual resources of a container; `undefined` when the runtime reports none. Runtimes do not report memory requests. */
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
